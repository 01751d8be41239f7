import { setImmediate } from 'node:timers/promises';
import { History, type PastRecord } from '../../../infra/runtime/alarms/history.ts';
import { recordsQueries } from '../../../infra/runtime/alarms/records.ts';
import { type ActiveRule, isSilent } from '../../../infra/runtime/alarms/rule.ts';
import type { PreviewedAlarm, PreviewedRule } from '../../../schemas/resources/rule.ts';
import { limits } from '../../limits.ts';
import type { Store } from '../../messages/store/store.ts';
import type { ThingInScope } from './scope-sql.ts';

type PastAlarm = { beganUs: number; firedUs: number; endedUs: number | undefined };

/** Times in microseconds since 1970. */
type Range = { fromUs: number; toUs: number };

/**
 * Tries a rule on the records of things, one after the other, until these are too many. Where those of one thing alone
 * are, the range begins with the oldest of its newest.
 */
export async function preview(
  store: Store,
  rule: ActiveRule,
  { inScope, newest }: { inScope: number; newest: readonly ThingInScope[] },
  range: Range,
): Promise<PreviewedRule> {
  const things: PreviewedRule['things'] = [];
  let { fromUs } = range;
  let lookedAt = 0;
  let recordsLeft: number = limits.previewRecordsMax;
  for (const thing of newest) {
    const looked = await lookAt(store, rule, thing, { ...range, fromUs }, recordsLeft);
    if (looked.isCut && recordsLeft < limits.previewRecordsMax) break;
    recordsLeft -= looked.rows;
    lookedAt += 1;
    things.push(...shown(thing, looked.alarms));
    if (looked.isCut) {
      fromUs = looked.fromUs;
      break;
    }
  }
  return {
    from: timeIn(fromUs),
    to: timeIn(range.toUs),
    things,
    looked_at: lookedAt,
    left_out: inScope - lookedAt,
  };
}

type Looked = { alarms: readonly PastAlarm[]; rows: number; isCut: boolean; fromUs: number };

async function lookAt(
  store: Store,
  rule: ActiveRule,
  { id, created_at: createdAt }: ThingInScope,
  range: Range,
  rowsMax: number,
): Promise<Looked> {
  const queries = recordsQueries(rule.conditions, { thingId: id, ...range }, rowsMax);
  const answers = await Promise.all(
    queries.map(async ({ text, bound, read }) =>
      read(await store.bytes(text, bound, limits.previewBytesMax)),
    ),
  );
  const [only, other] = answers;
  const records = other === undefined ? (only ?? []) : merged(answers);
  const past = isSilent(rule)
    ? new Silences(rule.forUs, Math.max(range.fromUs, createdAt.getTime() * 1_000), range.toUs)
    : new History(rule);
  let firstUs: number | undefined;
  let taken = 0;
  for (const record of records) {
    firstUs ??= record.timeUs;
    past.add(record);
    taken += 1;
    if (taken % limits.previewRecordsAtOnce === 0) await setImmediate();
  }
  const isCut = answers.some(({ rows }) => rows >= rowsMax);
  const rows = answers.reduce((sum, answer) => sum + answer.rows, 0);
  const fromUs = isCut ? (firstUs ?? range.fromUs) : range.fromUs;
  return { alarms: past.finish(), rows, isCut, fromUs };
}

/** The records of several answers by time. */
const merged = (answers: readonly Iterable<PastRecord>[]): PastRecord[] =>
  answers.flatMap((records) => [...records]).toSorted((one, other) => one.timeUs - other.timeUs);

/** Times without a record. */
class Silences {
  readonly #alarms: PastAlarm[] = [];
  readonly #forUs: number;
  readonly #toUs: number;
  #lastUs: number;

  constructor(forUs: number, fromUs: number, toUs: number) {
    this.#forUs = forUs;
    this.#lastUs = fromUs;
    this.#toUs = toUs;
  }

  add({ timeUs }: PastRecord): void {
    this.#note(timeUs, timeUs);
    this.#lastUs = Math.max(this.#lastUs, timeUs);
  }

  finish(): readonly PastAlarm[] {
    this.#note(this.#toUs, undefined);
    return this.#alarms;
  }

  #note(untilUs: number, endedUs: number | undefined): void {
    const firedUs = this.#lastUs + this.#forUs;
    if (untilUs >= firedUs) this.#alarms.push({ beganUs: this.#lastUs, firedUs, endedUs });
  }
}

function shown({ id }: ThingInScope, alarms: readonly PastAlarm[]): PreviewedRule['things'] {
  if (alarms.length === 0) return [];
  const last = alarms.slice(-limits.previewAlarmsMax);
  return [{ thing_id: id, total: alarms.length, alarms: last.map(alarmOf) }];
}

const alarmOf = ({ beganUs, firedUs, endedUs }: PastAlarm): PreviewedAlarm => ({
  began_at: timeIn(beganUs),
  fired_at: timeIn(firedUs),
  ...(endedUs === undefined ? {} : { ended_at: timeIn(endedUs) }),
});

const timeIn = (us: number): string => new Date(us / 1_000).toISOString();
