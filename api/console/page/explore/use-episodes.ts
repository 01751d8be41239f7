import { useMemo } from 'preact/hooks';
import { ApiError } from '../../../../schemas/client/errors.ts';
import type { Episode } from '../chart/episodes.ts';
import { alarmNews } from '../client/alarm-news.ts';
import { type Alarm, call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { alarmStatesTexts } from '../texts/alarm-states.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { exactIn } from '../ui/time.tsx';
import { type Range, type Series, thingsOf, type View } from './view.ts';

/** Of a thing, so many alarms are shaded: the newest. */
const shadedMax = 200;
/** While the range goes on, alarms are read again this often. */
const readAgainMs = 15_000;

const tones = { critical: 'bad', warning: 'warn', info: 'accent' } as const;

/** Alarms as a chart shades them: from the begin of the breach on. */
export function episodesOf(alarms: readonly Alarm[], timeZone: string): Episode[] {
  const format = exactIn(timeZone);
  const written = (time: string | undefined) =>
    time === undefined ? alarmsTexts.now : format.format(Date.parse(time));
  return alarms.map(({ began_at: began, ended_at: ended, ...alarm }) => ({
    from: Date.parse(began) / 1_000,
    to: ended === undefined ? undefined : Date.parse(ended) / 1_000,
    tone: tones[alarm.severity],
    title: alarmsTexts.told(
      alarm.rule_name,
      alarm.thing_name,
      alarmStatesTexts.severities[alarm.severity],
      written(began),
      written(ended),
    ),
  }));
}

/** The alarms of the things of a chart in its range, as it shades them. */
export function useEpisodes(
  series: readonly Series[],
  { range, timeZone }: Pick<View, 'range' | 'timeZone'>,
  ends: { from: number; to: number },
  isOn: boolean,
): readonly Episode[] {
  const alarms = useAlarmsIn(isOn ? series : noSeries, range, ends);
  return useMemo(() => episodesOf(alarms, timeZone), [alarms, timeZone]);
}

const noAlarms: readonly Alarm[] = [];
const noSeries: readonly Series[] = [];

/** The alarms of the things of series in a range. */
export function useAlarmsIn(
  series: readonly Series[],
  range: Range,
  ends: { from: number; to: number },
): readonly Alarm[] {
  const things = thingsOf(series);
  const turn = range.kind === 'fixed' ? 0 : Math.floor(ends.to / readAgainMs);
  const key = JSON.stringify([things, range, turn, alarmNews.value]);
  const { value } = useRead(things.length === 0 ? undefined : key, async (signal) => {
    const [from, to] = [new Date(ends.from).toISOString(), new Date(ends.to).toISOString()];
    const query = { from, to, limit: shadedMax, order: 'fired_at', dir: 'desc' } as const;
    const read = (id: string) => call('listThingAlarms', { path: { id }, query }, signal);
    const lists = await Promise.all(things.map((id) => read(id).catch(none)));
    return lists.flatMap(({ alarms }) => alarms);
  });
  return things.length === 0 ? noAlarms : (value ?? noAlarms);
}

/** Stands for the alarms of a thing that is gone, or is not for this reader. @throws what else is wrong */
function none(error: unknown): { alarms: Alarm[] } {
  if (error instanceof ApiError && [403, 404].includes(error.status)) return { alarms: [] };
  throw error;
}
