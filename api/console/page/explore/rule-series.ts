import type { Condition, Rule } from '../client/call.ts';
import { type Series, textOf } from './view.ts';

/** More lines are not told apart. */
const drawnMax = 4;

/** The series of a condition; undefined for one about silence, and for one that is not filled in yet. */
export function seriesOf(
  { name = '', path = '' }: Pick<Condition, 'name' | 'path'>,
  thing: string,
): Series | undefined {
  if (name !== '') return { format: 'senml', thing, name };
  return path === '' ? undefined : { format: 'json', thing, name: path };
}

/** The series that rules watch of a thing, each once. */
export function watchedSeries(rules: readonly Pick<Rule, 'conditions'>[], thing: string): Series[] {
  const found = new Map<string, Series>();
  for (const { conditions } of rules) {
    for (const condition of conditions) {
      const series = seriesOf(condition, thing);
      if (series !== undefined) found.set(textOf(series), series);
    }
  }
  return [...found.values()].slice(0, drawnMax);
}
