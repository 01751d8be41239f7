import type { Limit } from '../chart/chart.tsx';
import type { Condition } from '../client/call.ts';
import { type Series, textOf } from './view.ts';
import { rulesTexts } from '../texts/rules.ts';
import { seriesOf } from './rule-series.ts';

/** A number of a condition that may be moved on the chart. */
export type Movable = 'value' | 'low' | 'high' | 'clear';

type Move = (at: number, what: Movable, value: number) => void;

/** The numbers that conditions compare with, each at the line of its series. */
export function limitsOf(
  conditions: readonly Condition[],
  series: readonly Series[],
  move?: Move,
): Limit[] {
  return conditions.flatMap((condition, at) => {
    const own = seriesOf(condition, series[0]?.thing ?? '');
    const line = series.findIndex((one) => own !== undefined && textOf(one) === textOf(own));
    if (line === -1) return [];
    return numbersIn(condition).map(([what, value]): Limit => {
      const label = rulesTexts.limit(at + 1, own?.name ?? '', what);
      return {
        line,
        value,
        label,
        isEnd: what === 'clear',
        ...(move === undefined ? {} : { onMove: (to: number) => move(at, what, to) }),
      };
    });
  });
}

function numbersIn({ when, value, low, high, clear }: Condition): [Movable, number][] {
  const isRange = when === 'between' || when === 'outside';
  const found: [Movable, unknown][] = isRange
    ? [
        ['low', low],
        ['high', high],
      ]
    : [['value', value]];
  found.push(['clear', clear?.value]);
  return found.flatMap(([what, number]): [Movable, number][] =>
    typeof number === 'number' ? [[what, number]] : [],
  );
}
