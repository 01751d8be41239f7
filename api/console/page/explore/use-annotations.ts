import { useMemo } from 'preact/hooks';
import { ApiError } from '../../../../schemas/client/errors.ts';
import type { Episode } from '../chart/episodes.ts';
import { type Annotation, call } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { exploreTexts } from '../texts/explore.ts';
import { exactIn } from '../ui/time.tsx';
import { type Asked, thingsOf } from './view.ts';

/** Of a thing and its group, so many annotations are drawn: the newest. */
const drawnMax = 200;
/** While the range goes on, they are read again this often. */
const readAgainMs = 60_000;

/** The annotations of the things of a chart and of their groups, in its range, the earliest first. */
export function useAnnotations(
  { series, range }: Pick<Asked, 'series' | 'range'>,
  ends: { from: number; to: number },
  isOn: boolean,
): Pick<Reading<Annotation[]>, 'value' | 'again'> {
  const things = thingsOf(series);
  const of = things.join();
  const turn = range.kind === 'fixed' ? 0 : Math.floor(ends.to / readAgainMs);
  const key = JSON.stringify([things, range, turn]);
  const { value, again } = useRead(isOn && of !== '' ? key : undefined, async (signal) => {
    const [from, to] = [new Date(ends.from).toISOString(), new Date(ends.to).toISOString()];
    const query = { from, to, limit: drawnMax };
    const read = (id: string) => call('listThingAnnotations', { path: { id }, query }, signal);
    const lists = await Promise.all(things.map((id) => read(id).catch(none)));
    const found = new Map(
      lists.flatMap(({ annotations }) => annotations.map((one) => [one.id, one])),
    );
    const annotations = [...found.values()].toSorted((one, other) =>
      one.from < other.from ? -1 : 1,
    );
    return { of, annotations };
  });
  // The last answer may be of other things, or of a range that is no longer seen.
  const read = isOn && value?.of === of ? value.annotations : undefined;
  const seen = useMemo(() => read?.filter((one) => isIn(one, ends)), [read, ends.from, ends.to]);
  return { value: seen, again };
}

const isIn = ({ from, to = from }: Annotation, ends: { from: number; to: number }): boolean =>
  Date.parse(to) >= ends.from && Date.parse(from) <= ends.to;

/** Stands for those of a thing that is gone, or is not for this reader. @throws what else is wrong */
function none(error: unknown): { annotations: Annotation[] } {
  if (error instanceof ApiError && [403, 404].includes(error.status)) return { annotations: [] };
  throw error;
}

const noEpisodes: readonly Episode[] = [];

/** Annotations as a chart marks them. */
export function useMarks(
  annotations: readonly Annotation[] | undefined,
  timeZone: string,
): readonly Episode[] {
  return useMemo(() => {
    if (annotations === undefined) return noEpisodes;
    const format = exactIn(timeZone);
    return annotations.map(({ from, to = from, text }) => ({
      from: Date.parse(from) / 1_000,
      to: Date.parse(to) / 1_000,
      tone: 'note' as const,
      title: exploreTexts.notes.told(text, format.format(Date.parse(from))),
    }));
  }, [annotations, timeZone]);
}
