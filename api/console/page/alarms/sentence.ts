import type { Condition, Rule } from '../client/call.ts';
import { rulesTexts } from '../texts/rules.ts';
import { partsTexts } from '../texts/parts.ts';
import { numberWriter } from '../ui/number.ts';

const words = rulesTexts.sentence;
const writeNumber = numberWriter(9);

type Compared = NonNullable<Condition['clear']>;
type Told = Pick<Rule, 'conditions'> & Partial<Pick<Rule, 'match' | 'for' | 'clear_for'>>;

/** A rule in one sentence: `temperature > 8 for 5 min, clears < 6`. */
export function sentenceOf(rule: Told): string {
  const { conditions, match = 'all', for: lasts = 0, clear_for: clearFor = 0 } = rule;
  const [first] = conditions;
  if (first?.when === 'silent') return words.silent(partsTexts.lasting(lasts));
  const isAlone = conditions.length === 1;
  const parts = conditions.map((one) => conditionOf(one, isAlone));
  const over = isAlone && first?.clear !== undefined ? words.clears(comparisonOf(first.clear)) : '';
  return [
    parts.join(match === 'all' ? words.and : words.or),
    lasts === 0 ? '' : words.for(partsTexts.lasting(lasts), isAlone),
    over,
    clearFor === 0 ? '' : words.clearFor(partsTexts.lasting(clearFor)),
  ].join('');
}

function conditionOf(condition: Condition, isAlone: boolean): string {
  const { name, path, subtopic, when, clear, ...compared } = condition;
  if (when === 'silent') return words.silence;
  const told = name ?? path ?? '';
  const series = `${told === '' ? '…' : told}${subtopic === undefined ? '' : words.subtopic(subtopic)}`;
  const over = isAlone || clear === undefined ? '' : words.clearsInside(comparisonOf(clear));
  return `${series} ${comparisonOf({ when, ...compared })}${over}`;
}

function comparisonOf({ when, value, low, high }: Compared): string {
  if (when === 'between' || when === 'outside') {
    return words[when](written(low), written(high));
  }
  return `${words.signs[when]} ${written(value)}`;
}

function written(value: Compared['value']): string {
  if (value === undefined) return '…';
  return typeof value === 'number' ? writeNumber(value) : String(value);
}
