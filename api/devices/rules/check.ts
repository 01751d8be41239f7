import { DomainError } from '../../../schemas/http/errors.ts';
import { subtopicOf } from '../../../schemas/messages/subtopic.ts';
import type { ClearCondition, Condition, Rule } from '../../../schemas/resources/rule.ts';
import { limits } from '../../limits.ts';
import { canBothHold, kindOf } from './overlap.ts';

/** The members of a rule that say when it fires. */
export type Deciding = Pick<Rule, 'match' | 'conditions' | 'for' | 'clear_for'> & {
  gap: number | null;
};

/**
 * Checks what a schema can't check: what members of a rule say together.
 *
 * @throws DomainError `malformed` naming the member.
 */
export function checkRule(rule: Deciding & { name?: string }): void {
  const problem = problemOfText('name', rule.name) ?? problemOfConditions(rule);
  if (problem !== undefined) throw new DomainError('malformed', problem);
}

function problemOfConditions(rule: Deciding): string | undefined {
  const { conditions } = rule;
  const silentAt = conditions.findIndex(({ when }) => when === 'silent');
  if (silentAt !== -1) return problemOfSilence(rule, silentAt);
  for (const [at, condition] of conditions.entries()) {
    const problem = problemOfCondition(condition);
    if (problem !== undefined) return `conditions.${at}.${problem}`;
  }
  return undefined;
}

function problemOfSilence(
  { conditions, for: lasts, clear_for: clearFor, gap }: Deciding,
  at: number,
): string | undefined {
  if (conditions.length > 1) return `conditions.${at}.when: silent stands alone`;
  const [silent] = conditions;
  const others = ['name', 'path', 'subtopic', 'value', 'low', 'high', 'clear'] as const;
  const other = others.find((member) => silent?.[member] !== undefined);
  if (other !== undefined) return `conditions.${at}.${other}: silent has none`;
  if (lasts < limits.silenceSecondsMin) {
    return `for: of silent it is ${limits.silenceSecondsMin} seconds or more`;
  }
  if (clearFor !== 0) return 'clear_for: silence is over with the first message';
  return gap === null ? undefined : 'gap: silent has none';
}

function problemOfCondition(condition: Condition): string | undefined {
  const { name, path, subtopic, when, clear } = condition;
  if (name === undefined && path === undefined) return 'name: name or path is needed';
  if (name !== undefined && path !== undefined) return 'path: name and path exclude each other';
  // Another function has taken those of silence.
  if (when === 'silent') return undefined;
  const compared = { ...condition, when };
  return (
    problemOfText('name', name) ??
    problemOfText('path', path) ??
    problemOfSubtopic(subtopic) ??
    problemOfComparison(compared) ??
    (clear === undefined ? undefined : problemOfClear(compared, clear))
  );
}

function problemOfSubtopic(subtopic: string | undefined): string | undefined {
  if (subtopic === undefined || subtopic === '') return undefined;
  const parsed = subtopicOf(subtopic, limits.subtopicCharsMax);
  if (!parsed.ok) return parsed.detail;
  return parsed.subtopic === subtopic
    ? undefined
    : `subtopic: is written ${JSON.stringify(parsed.subtopic)}`;
}

function problemOfComparison({ when, value, low, high }: ClearCondition): string | undefined {
  if (when === 'between' || when === 'outside') {
    if (value !== undefined) return `value: ${when} has low and high`;
    if (low === undefined) return `low: ${when} needs it`;
    if (high === undefined) return `high: ${when} needs it`;
    return low <= high ? undefined : 'high: must not be less than low';
  }
  if (low !== undefined) return `low: ${when} has a value alone`;
  if (high !== undefined) return `high: ${when} has a value alone`;
  if (value === undefined) return `value: ${when} needs it`;
  if (when === '==' || when === '!=') {
    return typeof value === 'string' ? problemOfText('value', value) : undefined;
  }
  return typeof value === 'number' ? undefined : `value: ${when} compares with a number`;
}

function problemOfClear(condition: ClearCondition, clear: ClearCondition): string | undefined {
  const problem = problemOfComparison(clear);
  if (problem !== undefined) return `clear.${problem}`;
  const kind = kindOf(condition);
  if (kindOf(clear) !== kind) return `clear.value: must be a ${kind}, as that of the condition`;
  return canBothHold(condition, clear)
    ? 'clear: can hold for a value that is in breach'
    : undefined;
}

function problemOfText(member: string, text: string | undefined): string | undefined {
  return text !== undefined && /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
    ? `${member}: must not hold control characters`
    : undefined;
}
