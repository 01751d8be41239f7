import type { Condition, NewRule, Rule } from '../client/call.ts';
import { rulesTexts } from '../texts/rules.ts';

const words = rulesTexts.wrong;

export const comparisons = ['>', '>=', '<', '<=', '==', '!=', 'between', 'outside'] as const;
type Comparison = (typeof comparisons)[number];
type ClearCondition = NonNullable<Condition['clear']>;

/** A time as it is typed: a number, and its unit in seconds. */
export type DraftTime = { amount: string; unit: number };

/** A condition as it is typed. */
export type DraftCondition = {
  key: number;
  format: 'senml' | 'json';
  name: string;
  /** Of which messages: of all, of those without a subtopic, or of those of one. */
  topics: 'all' | 'none' | 'one';
  subtopic: string;
  when: Comparison;
  kind: 'number' | 'text' | 'boolean';
  value: string;
  low: string;
  high: string;
  /** The number at which it is over; empty where it is over by itself. */
  clear: string;
  /** An end that the form has no fields for stays as it is. */
  otherClear: ClearCondition | undefined;
};

/** A rule as it is typed. */
export type Draft = {
  name: string;
  severity: Rule['severity'];
  /** Whether it watches values, or that things are heard. */
  watches: 'values' | 'silence';
  match: Rule['match'];
  conditions: readonly DraftCondition[];
  for: DraftTime;
  clearFor: DraftTime;
  gap: DraftTime;
  repeat: DraftTime;
  scope: 'group' | 'profile' | 'things';
  profileId: string;
  thingIds: readonly string[];
  hears: 'default' | 'own' | 'nobody';
  webhookIds: readonly string[];
  mails: string;
};

/** Problems by the field that they belong to: `name`, `conditions.0.value`. */
export type Problems = Readonly<Record<string, string>>;

export const timeUnits = [1, 60, 3_600, 86_400] as const;

/** The largest unit of which it is a whole number. */
export function timeOf(seconds: number | undefined): DraftTime {
  if (seconds === undefined || seconds === 0) return { amount: '', unit: 60 };
  const unit = timeUnits.findLast((one) => seconds % one === 0) ?? 1;
  return { amount: String(seconds / unit), unit };
}

const secondsOf = ({ amount, unit }: DraftTime): number =>
  amount.trim() === '' ? 0 : Math.round(Number(amount) * unit);

let lastKey = 0;

export const emptyCondition = (): DraftCondition => ({
  key: ++lastKey,
  format: 'senml',
  name: '',
  topics: 'all',
  subtopic: '',
  when: '>',
  kind: 'number',
  value: '',
  low: '',
  high: '',
  clear: '',
  otherClear: undefined,
});

export const emptyDraft = (): Draft => ({
  name: '',
  severity: 'warning',
  watches: 'values',
  match: 'all',
  conditions: [emptyCondition()],
  for: timeOf(300),
  clearFor: timeOf(0),
  gap: timeOf(undefined),
  repeat: timeOf(undefined),
  scope: 'group',
  profileId: '',
  thingIds: [],
  hears: 'default',
  webhookIds: [],
  mails: '',
});

const textOf = (value: string | number | boolean | undefined): string =>
  value === undefined ? '' : String(value);

/** The comparison that is over where another one begins: `<` for `>`. */
const opposites = { '>': '<', '>=': '<', '<': '>', '<=': '>' } as const;

export const oppositeOf = (when: Comparison): '<' | '>' | undefined =>
  when === '>' || when === '>=' || when === '<' || when === '<=' ? opposites[when] : undefined;

/** The end of a comparison of which the form shows the number alone. */
function isPlain(when: Comparison, clear: ClearCondition | undefined): boolean {
  return (
    clear === undefined || (clear.when === oppositeOf(when) && typeof clear.value === 'number')
  );
}

function draftConditionOf(condition: Condition): DraftCondition {
  const { name, path, subtopic, when, value, low, high, clear } = condition;
  const compared = when === 'silent' ? '>' : when;
  const kinds = { number: 'number', string: 'text', boolean: 'boolean' } as const;
  const type = typeof value;
  return {
    key: ++lastKey,
    format: path === undefined ? 'senml' : 'json',
    name: path ?? name ?? '',
    topics: subtopic === undefined ? 'all' : subtopic === '' ? 'none' : 'one',
    subtopic: subtopic ?? '',
    when: compared,
    kind: type === 'string' || type === 'boolean' ? kinds[type] : 'number',
    value: textOf(value),
    low: textOf(low),
    high: textOf(high),
    clear: isPlain(compared, clear) ? textOf(clear?.value) : '',
    otherClear: isPlain(compared, clear) ? undefined : clear,
  };
}

/** A rule that is there, to be changed. */
export function draftOf(rule: Rule): Draft {
  const { conditions, receivers, profile_id: profile, thing_ids: things } = rule;
  const isSilent = conditions[0]?.when === 'silent';
  const { webhook_ids: webhooks = [], mails = [] } = receivers ?? {};
  const isNobody = webhooks.length + mails.length === 0;
  return {
    name: rule.name,
    severity: rule.severity,
    watches: isSilent ? 'silence' : 'values',
    match: rule.match,
    conditions: isSilent ? [emptyCondition()] : conditions.map(draftConditionOf),
    for: timeOf(rule.for),
    clearFor: timeOf(rule.clear_for),
    gap: timeOf(rule.gap),
    repeat: timeOf(rule.repeat_every),
    scope: things === undefined ? (profile === undefined ? 'group' : 'profile') : 'things',
    profileId: profile ?? '',
    thingIds: things ?? [],
    hears: receivers === undefined ? 'default' : isNobody ? 'nobody' : 'own',
    webhookIds: webhooks,
    mails: mails.join('\n'),
  };
}

const numberIn = (text: string): number | undefined =>
  text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);

const isRange = (when: Comparison) => when === 'between' || when === 'outside';
const isEquality = (when: Comparison) => when === '==' || when === '!=';

function conditionOf(draft: DraftCondition): Condition {
  const { format, name, topics, subtopic, when, low, high, clear, otherClear } = draft;
  const end = oppositeOf(when);
  const clears = numberIn(clear);
  const range = { low: numberIn(low), high: numberIn(high) };
  return {
    ...(format === 'senml' ? { name } : { path: name }),
    ...(topics === 'all' ? {} : { subtopic: topics === 'none' ? '' : subtopic.trim() }),
    when,
    ...(isRange(when)
      ? {
          ...(range.low === undefined ? {} : { low: range.low }),
          ...(range.high === undefined ? {} : { high: range.high }),
        }
      : valueOf(draft)),
    ...(end === undefined || clears === undefined ? {} : { clear: { when: end, value: clears } }),
    ...(otherClear === undefined ? {} : { clear: otherClear }),
  };
}

function valueOf({ when, kind, value }: DraftCondition): Pick<Condition, 'value'> {
  if (isEquality(when) && kind === 'text') return { value };
  if (isEquality(when) && kind === 'boolean') return { value: value === 'true' };
  const number = numberIn(value);
  return number === undefined ? {} : { value: number };
}

/** The addresses of a list with commas, spaces or lines between them. */
const mailsIn = (text: string): string[] => text.split(/[\s,;]+/).filter((one) => one !== '');

/** The members that decide when it fires, for what; as far as they are typed. */
export function decidingOf(draft: Draft) {
  const isSilent = draft.watches === 'silence';
  const gap = secondsOf(draft.gap);
  return {
    match: draft.match,
    conditions: isSilent ? [{ when: 'silent' as const }] : draft.conditions.map(conditionOf),
    for: secondsOf(draft.for),
    clear_for: isSilent ? 0 : secondsOf(draft.clearFor),
    gap: isSilent || gap === 0 ? null : gap,
    profile_id: draft.scope === 'profile' ? draft.profileId : null,
    thing_ids: draft.scope === 'things' ? [...draft.thingIds] : null,
  };
}

/** The rule as the API takes it. */
export function ruleOf(draft: Draft): NewRule {
  const repeat = secondsOf(draft.repeat);
  return {
    ...decidingOf(draft),
    name: draft.name.trim(),
    severity: draft.severity,
    repeat_every: repeat === 0 ? null : repeat,
    receivers: receiversOf(draft),
  };
}

type Hearing = Pick<Draft, 'hears' | 'webhookIds' | 'mails'>;

export function receiversOf({
  hears,
  webhookIds,
  mails,
}: Hearing): NonNullable<NewRule['receivers']> | null {
  if (hears === 'default') return null;
  if (hears === 'nobody') return {};
  return { webhook_ids: [...webhookIds], mails: mailsIn(mails) };
}

/** Says at which fields something is missing or wrong. The API has the last word. */
export function problemsOf(draft: Draft): Problems {
  const problems: Record<string, string> = {};
  const note = (field: string, problem: string | undefined) => {
    if (problem !== undefined) problems[field] ??= problem;
  };
  if (draft.name.trim() === '') note('name', words.name);
  for (const [field, time] of Object.entries({
    for: draft.for,
    clear_for: draft.clearFor,
    gap: draft.gap,
    repeat_every: draft.repeat,
  })) {
    note(field, problemOfTime(time));
  }
  if (draft.watches === 'silence') {
    if (secondsOf(draft.for) < silenceSecondsMin) note('for', words.silence);
  } else {
    for (const [at, condition] of draft.conditions.entries()) {
      for (const [field, problem] of Object.entries(problemsOfCondition(condition))) {
        note(`conditions.${at}.${field}`, problem);
      }
    }
  }
  const repeat = secondsOf(draft.repeat);
  if (repeat > 0 && repeat < repeatSecondsMin) note('repeat_every', words.repeat);
  if (draft.scope === 'profile' && draft.profileId === '') note('profile_id', words.profile);
  if (draft.scope === 'things' && draft.thingIds.length === 0) note('thing_ids', words.things);
  note('receivers', problemOfReceivers(draft));
  return problems;
}

const silenceSecondsMin = 10;
const repeatSecondsMin = 60;
const secondsMax = 2_592_000;

function problemOfTime(time: DraftTime): string | undefined {
  if (time.amount.trim() === '') return undefined;
  const seconds = secondsOf(time);
  if (!(seconds >= 0)) return words.time;
  return seconds > secondsMax ? words.timeMax : undefined;
}

function problemsOfCondition(draft: DraftCondition): Problems {
  const { name, topics, subtopic, when, kind, value, low, high, clear } = draft;
  const problems: Record<string, string> = {};
  if (name.trim() === '') problems['name'] = words.series;
  if (topics === 'one' && subtopic.trim() === '') problems['subtopic'] = words.subtopic;
  if (isRange(when)) {
    const [from, to] = [numberIn(low), numberIn(high)];
    if (from === undefined) problems['low'] = words.number;
    if (to === undefined) problems['high'] = words.number;
    if (from !== undefined && to !== undefined && from > to) problems['high'] = words.order;
  } else if (isEquality(when) && kind === 'boolean') {
    if (value !== 'true' && value !== 'false') problems['value'] = words.boolean;
  } else if (!(isEquality(when) && kind === 'text') && numberIn(value) === undefined) {
    problems['value'] = words.number;
  }
  const end = oppositeOf(when);
  if (clear.trim() === '' || end === undefined) return problems;
  const [begins, ends] = [numberIn(value), numberIn(clear)];
  if (ends === undefined) problems['clear'] = words.number;
  else if (begins !== undefined && (end === '<' ? ends > begins : ends < begins)) {
    problems['clear'] = end === '<' ? words.clearBelow : words.clearAbove;
  }
  return problems;
}

export function problemOfReceivers({ hears, webhookIds, mails }: Hearing): string | undefined {
  if (hears !== 'own') return undefined;
  const addresses = mailsIn(mails);
  if (addresses.length + webhookIds.length === 0) return words.nobody;
  const wrong = addresses.find((one) => !/^[^@\s]+@[^@\s]+$/.test(one));
  return wrong === undefined ? undefined : words.mail(wrong);
}

/** The fields that stand for members of the API which the form names otherwise. */
const fieldsOfApi: Readonly<Record<string, string>> = { path: 'name', name: 'name' };

/** The field that a refusal of the API names, with its words: `conditions.0.value: …`. */
export function problemIn(message: string): Problems {
  const [, field = '', problem = ''] =
    /^(?:body\.)?(conditions\.\d+(?:\.\w+)*|[a-z_]+)(?:\.\d+)*:? (.+)$/s.exec(message) ?? [];
  if (field === '') return {};
  const [list = '', at = '', member = 'name'] = field.split('.');
  if (list !== 'conditions') return { [list]: problem };
  return { [`conditions.${at}.${fieldsOfApi[member] ?? member}`]: problem };
}
