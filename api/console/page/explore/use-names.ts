import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { exploreTexts } from '../texts/explore.ts';
import { type Series, thingsOf } from './view.ts';

/** Of a thing that can be read: what it is called, and where it is. */
export type KnownThing = { id: string; name: string; group: string };

/** They do not change while one looks. */
const known = new Map<string, Promise<KnownThing>>();

function readThing(id: string): Promise<KnownThing> {
  const asked = known.get(id);
  if (asked !== undefined) return asked;
  const asking = call('viewThing', { path: { id } }).then(({ name, group_id: group }) => ({
    id,
    name,
    group,
  }));
  known.set(id, asking);
  asking.catch(() => known.delete(id));
  return asking;
}

async function readGroup(id: string): Promise<KnownThing> {
  const { name } = await call('viewGroup', { path: { id } });
  return { id, name, group: id };
}

const shortChars = 48;
const short = (text: string) => (text.length > shortChars ? `${text.slice(0, shortChars)}…` : text);

/** The things of series that can be read, and the words for each series: its thing, and its name. */
export function useNames(series: readonly Series[]): {
  names: string[];
  things: readonly KnownThing[];
} {
  const ids = thingsOf(series);
  const groups = [...new Set(series.flatMap((one) => (one.isOfGroup === true ? [one.thing] : [])))];
  const { value, isLoading } = useRead(`${ids.join()} ${groups.join()}`, async () => {
    const things = ids.map((id) => readThing(id));
    const all = [...things, ...groups.map((id) => readGroup(id))];
    return Promise.all(all.map((one) => one.catch(() => undefined)));
  });
  const nameOf = (id: string) => {
    const name = value?.find((thing) => thing?.id === id)?.name;
    return name ?? (isLoading ? '…' : id.slice(0, 8));
  };
  const placeOf = ({ thing, isOfGroup }: Series) =>
    isOfGroup === true ? exploreTexts.picker.allOf(nameOf(thing)) : nameOf(thing);
  return {
    names: series.map((one) => `${short(placeOf(one))} · ${short(one.name)}`),
    things:
      value?.filter((thing) => thing !== undefined).filter(({ id }) => ids.includes(id)) ??
      noThings,
  };
}

const noThings: readonly KnownThing[] = [];
