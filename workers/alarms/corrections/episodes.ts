import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { History, type PastRecord } from '../../../infra/runtime/alarms/history.ts';
import { type RecordsRange, recordsQueries } from '../../../infra/runtime/alarms/records.ts';
import type { ActiveRule } from '../../../infra/runtime/alarms/rule.ts';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { limits } from '../../limits.ts';
import type { PastEpisode } from './plan.ts';

const usPerSecond = 1_000_000;

/** Its errors come before the first byte, and not in the middle of an answer. */
const settings = { wait_end_of_query: 1 };

/** `found`: the episodes that are over, of the time that was read. `none`: the store has no records, as where a profile keeps none. */
type Found =
  | { kind: 'found'; episodes: PastEpisode[]; fromUs: number; toUs: number }
  | { kind: 'none' | 'tooMany' };

/**
 * The episodes of a thing around a range, by the records of the store. The machine begins with a thing that is ok, so
 * the records are read from a time before the range at which it was; how long before is found out by trying.
 */
export async function findEpisodes(
  clickhouse: ClickHouseClient,
  rule: ActiveRule,
  range: RecordsRange,
  nowUs: number,
): Promise<Found> {
  const { forUs, clearForUs, gapUs = 0 } = rule;
  const shortest = limits.correctionMarginS.min * usPerSecond;
  const longest = limits.correctionMarginS.max * usPerSecond;
  let marginUs = Math.max(shortest, 4 * (forUs + clearForUs + gapUs));
  for (;;) {
    const fromUs = Math.max(0, range.fromUs - marginUs);
    const toUs = Math.min(nowUs, range.toUs + marginUs);
    const read = await readHistory(clickhouse, rule, { ...range, fromUs, toUs });
    if (read.kind !== 'read') return read;
    const { firstUs, history } = read;
    const episodes = history.finish();
    const [first] = episodes;
    const beginsInBreach = first !== undefined && first.beganUs === firstUs && fromUs > 0;
    const endsInBreach = episodes.at(-1)?.endedUs === undefined && episodes.length > 0;
    const isSure = !beginsInBreach && !(endsInBreach && toUs < nowUs);
    if (isSure || marginUs >= longest) {
      return { kind: 'found', episodes: episodes.flatMap((one) => pastOf(one)), fromUs, toUs };
    }
    marginUs = Math.min(longest, marginUs * limits.correctionMarginGrows);
  }
}

type Episode = ReturnType<History['finish']>[number];

const pastOf = ({ endedUs, endedValues = [], ...episode }: Episode): PastEpisode[] =>
  endedUs === undefined ? [] : [{ ...episode, endedUs, endedValues }];

type ReadHistory =
  | { kind: 'read'; history: History; firstUs: number }
  | { kind: 'none' | 'tooMany' };

/** Reads records into a history: of so much time at once that some thousands come. */
async function readHistory(
  clickhouse: ClickHouseClient,
  rule: ActiveRule,
  { thingId, fromUs, toUs }: RecordsRange,
): Promise<ReadHistory> {
  const history = new History(rule);
  let firstUs: number | undefined;
  let spanUs = limits.correctionSpanS * usPerSecond;
  let taken = 0;
  for (let atUs = fromUs; atUs <= toUs; ) {
    const untilUs = Math.min(toUs, atUs + spanUs - 1);
    const read = await readRecords(clickhouse, rule, { thingId, fromUs: atUs, toUs: untilUs });
    if (read.isCut) {
      if (spanUs <= usPerSecond) return { kind: 'tooMany' };
      spanUs = Math.ceil(spanUs / 8);
      continue;
    }
    for (const record of read.records) history.add(record);
    firstUs ??= read.records[0]?.timeUs;
    taken += read.records.length;
    const areTooMany =
      taken > limits.correctionRecordsMax || history.episodes > limits.correctionEpisodesMax;
    if (areTooMany) return { kind: 'tooMany' };
    if (read.records.length < limits.correctionRowsMax / 8) spanUs *= 4;
    atUs = untilUs + 1;
    await setImmediate();
  }
  return firstUs === undefined ? { kind: 'none' } : { kind: 'read', history, firstUs };
}

async function readRecords(
  clickhouse: ClickHouseClient,
  { conditions }: ActiveRule,
  range: RecordsRange,
): Promise<{ records: PastRecord[]; isCut: boolean }> {
  const queries = recordsQueries(conditions, range, limits.correctionRowsMax);
  const answers = await Promise.all(
    queries.map(async ({ text: query, bound, read }) => {
      const { stream } = await clickhouse.ask({ query, bound, settings, signal: undefined });
      const stored = read(await buffer(stream));
      return { records: [...stored], rows: stored.rows };
    }),
  );
  const isCut = answers.some(({ rows }) => rows >= limits.correctionRowsMax);
  const records = answers.flatMap((answer) => answer.records);
  if (answers.length > 1) records.sort((one, other) => one.timeUs - other.timeUs);
  return { records, isCut };
}
