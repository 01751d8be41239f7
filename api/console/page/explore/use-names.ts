import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import type { Series } from './view.ts';

/** The names of things do not change while one looks. */
const known = new Map<string, Promise<string>>();

function nameOf(id: string): Promise<string> {
  const asked = known.get(id);
  if (asked !== undefined) return asked;
  const asking = call('viewThing', { path: { id } }).then(({ name }) => name);
  known.set(id, asking);
  asking.catch(() => known.delete(id));
  return asking;
}

const shortChars = 48;
const short = (text: string) => (text.length > shortChars ? `${text.slice(0, shortChars)}…` : text);

/** The words for each series: its thing, and its name. */
export function useNames(series: readonly Series[]): string[] {
  const things = [...new Set(series.map(({ thing }) => thing))];
  const { value } = useRead(things.join(), async () =>
    Promise.all(things.map((id) => nameOf(id).catch(() => id.slice(0, 8)))),
  );
  return series.map(({ thing, name }) => {
    const thingName = value?.[things.indexOf(thing)] ?? '…';
    return `${short(thingName)} · ${short(name)}`;
  });
}
