import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../../schemas/client/errors.ts';
import { type Failure, failureOf } from '../client/failure.ts';
import { follow } from '../client/live.ts';
import { isVisible } from '../client/visible.ts';
import { extended } from './extended.ts';
import { leafAt, type Value } from '../../../../schemas/json/leaf.ts';
import { valueIn } from './leaves.ts';
import { type Points, readPoints } from './read-points.ts';
import { type Asked, endsOf, type Series, shiftOf, textOf } from './view.ts';

/** The points of the chart, and the ends of its range in milliseconds. */
type Shown = {
  all: readonly Points[];
  /** Of each series the points of an earlier time, put where the others are; none unless they are asked for. */
  before: readonly Points[];
  ends: { from: number; to: number };
  failure: Failure | undefined;
  isLoading: boolean;
  again: () => void;
};

const drawnMs = 250;
/** An interval is not over while messages come: aggregates are asked again this often. */
const askedAgainMs = 5_000;
/** Each is a stream of its own, and a browser opens few to one place: more series are asked again as well. */
const followedMax = 3;

const none: readonly Points[] = [];

type Got = { key?: string; lines?: string; all: Points[]; before?: Points[]; failure?: Failure };

/** Reads the points of all series of a view; in live mode they go on as messages are stored. */
export function usePoints(view: Asked, pixels: number): Shown {
  const [count, setCount] = useState(0);
  const [got, setGot] = useState<Got>({ all: [] });
  const [now, setNow] = useState(Date.now());
  const lines = view.series.map(textOf).join('|');
  const { aggregate, gaps, timeZone, range, interval, before = 'none' } = view;
  // Nothing is followed while nobody looks, and all is read again after that.
  const isLive = view.isLive && isVisible.value;
  const asks = [count, lines, aggregate, interval, gaps, timeZone, range, before];
  const key = JSON.stringify([...asks, pixels, isLive]);
  const held = useRef<Points[]>([]);
  useEffect(() => {
    if (pixels === 0) return undefined;
    const controller = new AbortController();
    const asked = Date.now();
    const ends = endsOf(range, asked);
    const { signal } = controller;
    const read = async (from: number) => {
      const earlier = { from: ends.from - from, to: ends.to - from };
      const one = (series: Series) => readPoints(series, view, earlier, pixels, signal);
      return Promise.all(view.series.map((series) => one(series).catch(missing)));
    };
    const shift = shiftOf(before, ends);
    Promise.all([read(0), shift === 0 ? [] : read(shift)]).then(
      ([all, earlier]) => {
        held.current = all;
        setNow(asked);
        const shifted = earlier.map((one) => later(one, shift / 1_000));
        return setGot({ key, lines, all, before: shifted });
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setGot({ key, all: [], failure: failureOf(error) });
      },
    );
    return () => controller.abort();
  }, [key]);
  useLivePoints(view, held, {
    onPoints: (at) => {
      setNow(at);
      setGot((last) => ({ ...last, all: held.current }));
    },
    askAgain: () => setCount((times) => times + 1),
    isOn: isLive && range.kind === 'last',
  });
  return {
    // Those of other series are not shown under these names.
    all: got.lines === lines ? got.all : none,
    before: got.lines === lines ? (got.before ?? none) : none,
    ends: endsOf(range, now),
    failure: got.failure,
    isLoading: got.key !== key,
    again: () => setCount(count + 1),
  };
}

/** The points of a series, so many seconds later. */
const later = (one: Points, seconds: number): Points => ({
  ...one,
  points: one.points.map(([time, value]) => [time + seconds, value]),
});

/**
 * Stands for a series whose thing is gone, or is not for this reader. The other series are drawn.
 *
 * @throws what is wrong with more than this series
 */
function missing(error: unknown): Points {
  const isOfSeries = error instanceof ApiError && [400, 403, 404].includes(error.status);
  if (!isOfSeries) throw error;
  return { unit: '', points: [], failure: error };
}

/** Whether each message of them is a point that can be added as it comes. */
export const areFollowed = (series: readonly Series[]): boolean =>
  series.length <= followedMax && series.every(({ isOfGroup }) => isOfGroup !== true);

type Live = { onPoints: (now: number) => void; askAgain: () => void; isOn: boolean };

function useLivePoints(
  { series, aggregate, range }: Asked,
  held: { current: Points[] },
  { onPoints, askAgain, isOn }: Live,
): void {
  // Those that can't be read can't be followed.
  const followed = series.map((_, at) => held.current[at]?.failure === undefined);
  const key = JSON.stringify([series.map(textOf), followed, aggregate, range, isOn]);
  useEffect(() => {
    if (!isOn || range.kind !== 'last') return undefined;
    if (aggregate !== 'none' || !areFollowed(series)) {
      const timer = setInterval(askAgain, askedAgainMs);
      return () => clearInterval(timer);
    }
    const came: [at: number, time: number, value: Value][] = [];
    const ends = series.map((one, at) =>
      followed[at] === true
        ? followSeries(one, (time, value) => came.push([at, time, value]))
        : () => undefined,
    );
    const timer = setInterval(() => {
      const now = Date.now();
      held.current = extended(held.current, came.splice(0), now / 1_000 - range.seconds);
      onPoints(now);
    }, drawnMs);
    return () => {
      clearInterval(timer);
      for (const end of ends) end();
    };
  }, [key]);
}

/** Follows the values of a series. */
function followSeries(
  { format, thing, name }: Series,
  onPoint: (time: number, value: Value) => void,
): () => void {
  if (format === 'senml') {
    return follow('senml', { publisher: thing, name }, (message) => {
      const value = valueIn(message);
      if (value !== null) onPoint(message.time, value);
    });
  }
  return follow('json', { publisher: thing, filter: name }, ({ created, payload }) => {
    const value = leafAt(payload, name);
    if (value !== null) onPoint(created / 1e9, value);
  });
}
