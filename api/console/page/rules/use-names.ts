import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';

/** The names of things, as far as one may see them. */
export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { value } = useRead(ids.length === 0 ? undefined : ids.join(), async (signal) => {
    const name = async (id: string) => {
      const thing = await call('viewThing', { path: { id } }, signal).catch(() => undefined);
      return [id, thing?.name ?? id.slice(0, 8)] as const;
    };
    return new Map(await Promise.all(ids.map(name)));
  });
  return value ?? none;
}

const none: ReadonlyMap<string, string> = new Map();
