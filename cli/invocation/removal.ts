import { counted } from '../terminal/progress.ts';
import type { Call, RemovalVerb } from './call.ts';

/**
 * The rule for removals: a command asks first, unless another command with the same arguments can undo it. On the server
 * nothing can be undone like this; a `logout` can. `--yes` answers for scripts; without it and without a terminal nothing
 * is done. Such commands have `removes`.
 */
export async function askFirst(
  call: Call,
  verb: RemovalVerb,
  what: string,
  act: () => Promise<unknown>,
): Promise<void> {
  await call.confirm(verb, what);
  await act();
  call.tell(`${verb}d ${what}`);
  await call.output.ok();
}

/** One by its name, several by their number: `the thing "Press"`, `3 things`. */
export async function nameOrCount(
  call: Call,
  ids: readonly string[],
  what: string,
  view: 'viewGroup' | 'viewProfile' | 'viewThing',
): Promise<string> {
  const [id = ''] = ids;
  if (ids.length !== 1) return counted(ids.length, what);
  const { name } = await call.ask(view, { path: { id } });
  return `the ${what} "${name}"`;
}
