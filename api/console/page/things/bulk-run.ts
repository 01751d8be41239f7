import { call } from '../client/call.ts';
import { failureOf } from '../client/failure.ts';
import { type Filters, walkQuery } from './list-filters.ts';
import { newKey } from './new-key.ts';
import { listIn } from './read-things.ts';
import type { Selection } from './selection.ts';

type One = { id: string; name: string };

/** Done to each of the things that are chosen. */
export type Act =
  | { kind: 'move'; profile: string }
  | { kind: 'set'; key: string; value: unknown }
  | { kind: 'unset'; key: string }
  | { kind: 'rotate' }
  | { kind: 'delete'; remove: (ids: string[]) => Promise<void> };

type Refused = One & { why: string };
type Keyed = One & { key: string };
/** `keys`: the new ones, where keys are rotated. */
type Progress = {
  done: number;
  refused: readonly Refused[];
  keys: readonly Keyed[];
};
export const noProgress: Progress = { done: 0, refused: [], keys: [] };

const batchRows = 50;

/** The chosen things, a batch at a time: of all that match, by a cursor that what is done does not move. */
async function* batches(
  selection: Selection,
  filters: Filters,
  signal: AbortSignal,
): AsyncGenerator<One[]> {
  if (selection.kind === 'some') {
    const all = [...selection.things].map(([id, name]) => ({ id, name }));
    for (let at = 0; at < all.length; at += batchRows) yield all.slice(at, at + batchRows);
    return;
  }
  const now = Date.now();
  let cursor: string | undefined;
  do {
    const page = await listIn(filters, walkQuery(filters, now, cursor), signal);
    cursor = page.next;
    yield page.things.map(({ id, name }) => ({ id, name }));
  } while (cursor !== undefined);
}

/** Does it, and tells how far it is. What is refused of a batch is tried one by one, so that the others are done. */
export async function run(
  act: Act,
  selection: Selection,
  filters: Filters,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<Progress> {
  let progress = noProgress;
  for await (const batch of batches(selection, filters, signal)) {
    if (signal.aborted) break;
    const next = await actOn(act, batch, signal);
    progress = {
      done: progress.done + next.done,
      refused: [...progress.refused, ...next.refused],
      keys: [...progress.keys, ...next.keys],
    };
    tell(progress);
    if (signal.aborted) break;
  }
  return progress;
}

async function actOn(act: Act, batch: readonly One[], signal: AbortSignal): Promise<Progress> {
  // Things are moved, and get keys, one by one in any case.
  const isSingle = act.kind === 'move' || act.kind === 'rotate';
  const keys: Keyed[] = [];
  if (!isSingle && (await refusalOf(act, batch, keys)) === undefined) {
    return { done: batch.length, refused: [], keys };
  }
  const refused: Refused[] = [];
  let done = 0;
  for (const one of batch) {
    if (signal.aborted) break;
    const why = await refusalOf(act, [one], keys);
    if (why === undefined) done += 1;
    else refused.push({ ...one, why });
  }
  return { done, refused, keys };
}

/** Why it was refused; undefined: it was not. */
async function refusalOf(
  act: Act,
  things: readonly One[],
  keys: Keyed[],
): Promise<string | undefined> {
  try {
    await ask(act, things, keys);
    return undefined;
  } catch (error) {
    const { status, message } = failureOf(error);
    if (status === 0) throw error;
    return message;
  }
}

async function ask(act: Act, things: readonly One[], keys: Keyed[]): Promise<void> {
  if (act.kind === 'delete') {
    return act.remove(things.map(({ id }) => id));
  }
  if (act.kind === 'move') {
    for (const { id } of things) {
      await call('moveThing', { path: { id }, body: { profile_id: act.profile } });
    }
    return;
  }
  if (act.kind === 'rotate') {
    for (const one of things) {
      const key = newKey();
      // Kept before it is sent: the answer may be lost.
      keys.push({ ...one, key });
      await call('updateThing', { path: { id: one.id }, body: { key } }).catch((error: unknown) => {
        if (failureOf(error).status > 0) keys.pop();
        throw error;
      });
    }
    return;
  }
  const change =
    act.kind === 'set' ? { metadata: { [act.key]: act.value } } : { remove: [act.key] };
  await call('updateThingsMetadata', { body: things.map(({ id }) => ({ id, ...change })) });
}

const csvHead = ['id', 'name', 'type', 'group_id', 'profile_id', 'last_seen', 'metadata'];

/** A cell of CSV. A text that a spreadsheet would run as a formula has a quote before it. */
function cellOf(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** All that match, as CSV. */
export async function csvOf(
  filters: Filters,
  signal: AbortSignal,
  tell: (things: number) => void,
): Promise<string[]> {
  const lines = [`${csvHead.join(',')}\n`];
  const now = Date.now();
  let cursor: string | undefined;
  do {
    const page = await listIn(filters, walkQuery(filters, now, cursor), signal);
    for (const thing of page.things) {
      const { id, name, type, group_id: group, profile_id: profile, last_seen: seen } = thing;
      const cells = [id, name, type, group, profile, seen ?? '', JSON.stringify(thing.metadata)];
      lines.push(`${cells.map(cellOf).join(',')}\n`);
    }
    tell(lines.length - 1);
    cursor = page.next;
  } while (cursor !== undefined);
  return lines;
}

/** The refused ones, as CSV. */
export const refusedCsv = (refused: readonly Refused[]): string[] => [
  'id,name,why\n',
  ...refused.map(({ id, name, why }) => `${[id, name, why].map(cellOf).join(',')}\n`),
];

/** The new keys, as CSV. */
export const keysCsv = (keys: readonly Keyed[]): string[] => [
  'id,name,key\n',
  ...keys.map(({ id, name, key }) => `${[id, name, key].map(cellOf).join(',')}\n`),
];
