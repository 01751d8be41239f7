import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../../schemas/client/errors.ts';
import { type Failure, failureOf } from '../client/failure.ts';
import { follow } from '../client/live.ts';
import { isVisible } from '../client/visible.ts';
import { extended } from './extended.ts';
import { leafAt, type Value, valueIn } from './leaves.ts';
import { type Points, readPoints } from './read-points.ts';
import { endsOf, type Series, textOf, type View } from './view.ts';

/** The points of the chart, and the ends of its range in milliseconds. */
type Shown = {
  all: readonly Points[];
  ends: { from: number; to: number };
  failure: Failure | undefined;
  isLoading: boolean;
  again: () => void;
};

const drawnMs = 250;
/** An interval is not over while messages come: aggregates are asked again this often. */
const askedAgainMs = 5_000;

const none: readonly Points[] = [];

type Got = { key?: string; lines?: string; all: Points[]; failure?: Failure };

/** Reads the points of all series of a view; in live mode they go on as messages are stored. */
export function usePoints(view: View, pixels: number): Shown {
  const [count, setCount] = useState(0);
  const [got, setGot] = useState<Got>({ all: [] });
  const [now, setNow] = useState(Date.now());
  const lines = view.series.map(textOf).join('|');
  const { aggregate, gaps, timeZone, range } = view;
  // Nothing is followed while nobody looks, and all is read again after that.
  const isLive = view.isLive && isVisible.value;
  const key = JSON.stringify([count, lines, aggregate, gaps, timeZone, range, pixels, isLive]);
  const held = useRef<Points[]>([]);
  useEffect(() => {
    if (pixels === 0) return undefined;
    const controller = new AbortController();
    const asked = Date.now();
    const ends = endsOf(range, asked);
    const { signal } = controller;
    const read = (one: Series) => readPoints(one, view, ends, pixels, signal).catch(missing);
    Promise.all(view.series.map(read)).then(
      (all) => {
        held.current = all;
        setNow(asked);
        return setGot({ key, lines, all });
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
      setGot((before) => ({ ...before, all: held.current }));
    },
    askAgain: () => setCount((before) => before + 1),
    isOn: isLive && range.kind === 'last',
  });
  return {
    // Those of other series are not shown under these names.
    all: got.lines === lines ? got.all : none,
    ends: endsOf(range, now),
    failure: got.failure,
    isLoading: got.key !== key,
    again: () => setCount(count + 1),
  };
}

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

type Live = { onPoints: (now: number) => void; askAgain: () => void; isOn: boolean };

function useLivePoints(
  { series, aggregate, range }: View,
  held: { current: Points[] },
  { onPoints, askAgain, isOn }: Live,
): void {
  // Those that can't be read can't be followed.
  const followed = series.map((_, at) => held.current[at]?.failure === undefined);
  const key = JSON.stringify([series.map(textOf), followed, aggregate, range, isOn]);
  useEffect(() => {
    if (!isOn || range.kind !== 'last') return undefined;
    if (aggregate !== 'none') {
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
