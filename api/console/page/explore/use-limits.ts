import { useMemo } from 'preact/hooks';
import { ApiError } from '../../../../schemas/client/errors.ts';
import type { Limit } from '../chart/chart.tsx';
import { call, type Rule } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { limitsOf } from './compared.ts';
import { type Series, thingsOf } from './view.ts';

const rulesMax = 50;
const noLimits: readonly Limit[] = [];

/** The numbers that rules compare series with, each at its line. The same rule is drawn once for several things. */
export function useLimits(series: readonly Series[], isOn: boolean): readonly Limit[] {
  const things = thingsOf(series);
  const { value } = useRead(isOn ? things.join() : undefined, async (signal) => {
    const query = { limit: rulesMax };
    const read = (id: string) => call('listThingRules', { path: { id }, query }, signal);
    const lists = await Promise.all(things.map((id) => read(id).catch(none)));
    return lists.map(({ rules }, at) => ({ thing: things[at], rules }));
  });
  const told = series.map(({ thing, name }) => `${thing} ${name}`).join('|');
  return useMemo(() => {
    if (!isOn || value === undefined) return noLimits;
    const found = new Map<string, Limit>();
    for (const { thing, rules } of value) {
      for (const rule of rules) {
        for (const limit of limitsIn(rule, series, thing)) {
          const key = `${rule.id} ${limit.label} ${limit.value}`;
          if (!found.has(key)) found.set(key, { ...limit, label: key, text: rule.name });
        }
      }
    }
    return [...found.values()];
  }, [value, isOn, told]);
}

function limitsIn(rule: Rule, series: readonly Series[], thing: string | undefined): Limit[] {
  if (!rule.enabled) return [];
  const own = series.flatMap((one, at) =>
    one.thing === thing && one.isOfGroup !== true ? [{ one, at }] : [],
  );
  const limits = limitsOf(
    rule.conditions,
    own.map(({ one }) => one),
  );
  return limits.flatMap((limit) => {
    const line = own[limit.line];
    return line === undefined || line.one.isHidden === true ? [] : [{ ...limit, line: line.at }];
  });
}

/** Stands for the rules of a thing that is gone, or is not for this reader. @throws what else is wrong */
function none(error: unknown): { rules: Rule[] } {
  if (error instanceof ApiError && [403, 404].includes(error.status)) return { rules: [] };
  throw error;
}
