import { createHash } from 'node:crypto';
import type { MailMessage } from '../../../schemas/internal/mail.ts';
import { unitText } from '../../../schemas/messages/units.ts';
import type { AlarmNotice, NoticeTransition } from '../../../schemas/resources/alarm-notice.ts';
import { chartLink } from './link.ts';
import type { Mail, ToldRow } from './sql.ts';

/** The transitions of a rule that the same receivers are told of together: those that are shown, in their order. */
export type Notice = { id: string; first: ToldRow; shown: readonly ToldRow[] };

/** Notices of rows in the order of rules, receivers and numbers. A notice is called as its first transition. */
export function noticesOf(rows: readonly ToldRow[]): Notice[] {
  const notices: { id: string; first: ToldRow; shown: ToldRow[] }[] = [];
  for (const row of rows) {
    if (row.nth === 1) notices.push({ id: row.id, first: row, shown: [row] });
    else notices.at(-1)?.shown.push(row);
  }
  return notices;
}

export function payloadOf({ id, first, shown }: Notice): AlarmNotice {
  const { ruleId, ruleName, severity, groupId, orgId, count } = first;
  return {
    type: 'alarm',
    version: 1,
    id,
    rule: { id: ruleId, name: ruleName, severity },
    group_id: groupId,
    org_id: orgId,
    count,
    transitions: shown.map(transitionOf),
  };
}

/** Members of the end are told with the end alone. */
function transitionOf(row: ToldRow): NoticeTransition {
  const isEnd = row.transition === 'ended';
  return {
    alarm_id: row.alarmId,
    episode: row.episode,
    transition: row.transition,
    thing_id: row.thingId,
    thing_name: row.thingName,
    at: row.at.toISOString(),
    began_at: row.beganAt.toISOString(),
    fired_at: row.firedAt.toISOString(),
    ...(isEnd && row.endedAt !== null ? { ended_at: row.endedAt.toISOString() } : {}),
    ...(isEnd && row.endedWhy !== null ? { ended_why: row.endedWhy } : {}),
    values: row.values,
  };
}

/** So many transitions of a mail have a link. */
const linksMax = 10;
const valueCharsMax = 60;
const nameCharsMax = 120;

/** Mails to the addresses of a notice. The same notice always has the same mails, and so the same `Message-ID`s. */
export function mailsOf(notice: Notice, publicUrl: string): Mail[] {
  const addresses = new Set(notice.first.receivers.mails ?? []);
  if (addresses.size === 0) return [];
  const message = { subject: subjectOf(notice), text: textOf(notice, publicUrl) };
  return [...addresses].map((to) => ({ id: mailId(notice.id, to), message: { to, ...message } }));
}

function subjectOf({ first }: Notice): MailMessage['subject'] {
  const { severity, ruleName, count, fired, ended } = first;
  const head = `[${severity}] ${oneLine(ruleName)}: `;
  if (count === 1) return head + happened(first);
  const told = [
    ...(fired > 0 ? [`${inWords(fired)} ${fired === 1 ? 'fires' : 'fire'}`] : []),
    ...(ended > 0 ? [`${inWords(ended)} ${ended === 1 ? 'ends' : 'end'}`] : []),
  ];
  return head + told.join(', ');
}

function textOf({ first, shown }: Notice, publicUrl: string): MailMessage['text'] {
  const { ruleName, severity, groupName, count } = first;
  const lines = shown.map((row, at) => {
    const line = `${utc(row.at)}: ${happened(row)}${sinceWhen(row)}`;
    return at < linksMax ? `${line}\n${chartLink(row, publicUrl)}` : line;
  });
  const more = count - shown.length;
  return [
    `${oneLine(ruleName)} (${severity}), group ${oneLine(groupName)}`,
    lines.join(shown.length > linksMax ? '\n' : '\n\n'),
    ...(more > 0 ? [`And ${inWords(more)} more.`] : []),
    '',
  ].join('\n\n');
}

/** `freezer 2 fires (8.4 °C)` */
function happened(row: ToldRow): string {
  const { transition, clock, endedWhy } = row;
  const thing = oneLine(row.thingName);
  if (clock === 'receipt') {
    if (transition === 'fired') return `${thing} is silent`;
    if (transition === 'repeated') return `${thing} is still silent`;
    if (endedWhy === 'cleared') return `${thing} is heard again`;
  }
  const values = valuesOf(row);
  if (transition === 'fired') return `${thing} fires${values}`;
  if (transition === 'repeated') return `${thing} still fires${values}`;
  return `${thing} ends${endedWhy === null ? values : whys[endedWhy](values)}`;
}

const whys: Readonly<Record<NonNullable<ToldRow['endedWhy']>, (values: string) => string>> = {
  cleared: (values) => values,
  rule_changed: () => ': the rule was changed',
  rule_disabled: () => ': the rule was disabled',
  rule_deleted: () => ': the rule was deleted',
  thing_moved: () => ': the thing was moved',
};

/** Of an alarm that was pending for a while, since when; of one that ends, since when it had fired. */
function sinceWhen({ transition, at, beganAt, firedAt }: ToldRow): string {
  const since = transition === 'fired' ? beganAt : firedAt;
  return since.getTime() === at.getTime() ? '' : `, since ${utc(since, at)}`;
}

function valuesOf({ values }: ToldRow): string {
  if (values.length === 0) return '';
  const [only] = values;
  const texts =
    values.length === 1 && only !== undefined
      ? [measured(only)]
      : values.map((one) => `${shortened(one.name, valueCharsMax)} ${measured(one)}`);
  return ` (${texts.join(', ')})`;
}

function measured({ value, unit = '' }: ToldRow['values'][number]): string {
  const written = shortened(String(value), valueCharsMax);
  const after = unitText(shortened(unit, valueCharsMax));
  return after === '' ? written : `${written} ${after}`;
}

/** `2026-11-21 10:05:00 UTC`; without the day if that is the day of the time beside it. */
function utc(time: Date, beside?: Date): string {
  const [day = '', clock = ''] = time.toISOString().split(/[T.]/);
  return beside?.toISOString().startsWith(day) === true ? clock : `${day} ${clock} UTC`;
}

const inWords = (count: number): string => count.toLocaleString('en');

const oneLine = (text: string): string => shortened(text, nameCharsMax);

function shortened(text: string, charsMax: number): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > charsMax ? `${line.slice(0, charsMax)}…` : line;
}

/** A UUID of version 8: of notice and address. */
function mailId(noticeId: string, address: string): string {
  const hash = createHash('sha256').update(`${noticeId}/${address}`).digest('hex');
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ];
  return parts.join('-');
}
