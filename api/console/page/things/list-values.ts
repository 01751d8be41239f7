import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answers, call } from '../client/call.ts';
import { isVisible } from '../client/visible.ts';
import { type Column, seriesOf } from './columns.ts';

type Values = Answers['searchThingValues']['values'][number];

/** The values that were told of things, by their ids. */
export type Told = ReadonlyMap<string, Values>;

const freshMs = 15_000;
/** Whoever scrolls past is not waited for. */
const settledMs = 200;
const points = 40;
const rateMs = 3_600_000;
const idsMax = 200;

/** The values of the things in the window: one request, again every quarter of a minute while one looks. */
export function useValues(ids: readonly string[], columns: readonly Column[]): Told {
  const [told, setTold] = useState<Told>(new Map());
  const key = useRef('');
  const shown = ids.slice(0, idsMax).join(' ');
  const series = seriesOf(columns);
  const hasTrend = columns.some(({ kind }) => kind === 'trend');
  const hasRate = columns.some(({ kind }) => kind === 'rate');
  const wanted = JSON.stringify([series, hasTrend, hasRate]);
  const isLooking = isVisible.value;
  useEffect(() => {
    if (shown === '' || !isLooking) return undefined;
    const controller = new AbortController();
    let timer = setTimeout(read, settledMs);
    function read() {
      const body = {
        things: shown.split(' '),
        series,
        points: hasTrend ? points : 0,
        ...(hasRate ? { messages_since: new Date(Date.now() - rateMs).toISOString() } : {}),
      };
      call('searchThingValues', { body }, controller.signal)
        .then(({ values }) =>
          setTold((before) => {
            const isSame = key.current === wanted;
            key.current = wanted;
            return new Map([
              ...(isSame ? before : []),
              ...values.map((one): [string, Values] => [one.thing_id, one]),
            ]);
          }),
        )
        // The next look tries again: the old values stand meanwhile.
        .catch(() => undefined)
        .finally(() => {
          if (!controller.signal.aborted) timer = setTimeout(read, freshMs);
        });
    }
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [shown, wanted, isLooking]);
  return told;
}
