import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { eventually } from '../../support/eventually.ts';
import { Counts } from './ledger.ts';
import { type Load, recordsPerMessage } from './load.ts';

const storedMsMax = 10 * 60_000;
const webhooksMsMax = 20 * 60_000;
const lookEveryMs = 2_000;
const queryMsMax = 120_000;

/** What became of all that was sent: the first five are nothing if the promises were kept. */
type Findings = {
  lost: number;
  twice: number;
  invented: number;
  /** Messages of which a part is stored. */
  torn: number;
  webhooksMissing: number;
  /** Answers that must not be. */
  wrong: string[];
};

export const allKept: Findings = {
  lost: 0,
  twice: 0,
  invented: 0,
  torn: 0,
  webhooksMissing: 0,
  wrong: [],
};

/** How much it was. */
type Figures = {
  sent: number;
  acknowledged: number;
  stored: number;
  /** Copies for webhooks that came, and those that came again. */
  copies: number;
  copiesRepeated: number;
  storedAfterSeconds: number;
  webhooksAfterSeconds: number;
  answers: Record<string, number>;
};

const queries = {
  senml: 'SELECT toInt64(value) AS number FROM senml WHERE publisher = {id: UUID}',
  json: "SELECT JSONExtractInt(payload, 'v') AS number FROM json WHERE publisher = {id: UUID}",
};

/** Waits until the store and the receivers have what was acknowledged, then holds them against what was sent. */
export async function judgeLoad(
  system: { clickhouseUrl: string },
  load: Load,
): Promise<{ findings: Findings; figures: Figures }> {
  const { ledger } = load;
  const clickhouse = openClickHouse(system.clickhouseUrl, 'faults', queryMsMax);
  const stored = async () => {
    const counts = new Counts();
    for (const format of ['senml', 'json'] as const) {
      const result = await clickhouse.query({
        query: queries[format],
        query_params: { id: load[format].id },
        format: 'JSONCompactEachRow',
      });
      const text = await result.text();
      for (const [, number] of text.matchAll(/"?(-?\d+)"?/g)) counts.add(Number(number), ledger);
    }
    return counts;
  };
  const startedAt = performance.now();
  const since = () => Math.round((performance.now() - startedAt) / 1_000);
  await waitFor(async () => ledger.missing(await stored()).count === 0, storedMsMax);
  const storedAfterSeconds = since();
  const missingCopies = () =>
    load.received.reduce((sum, counts) => sum + ledger.missing(counts).count, 0);
  await waitFor(() => missingCopies() === 0, webhooksMsMax);
  const webhooksAfterSeconds = since();
  const counts = await stored();
  await clickhouse.close();
  const { count: lost, first } = ledger.missing(counts);
  if (lost > 0) process.stdout.write(`the first that are lost: ${first.join(', ')}\n`);
  const sum = (of: (one: Counts) => number) => load.received.reduce((all, one) => all + of(one), 0);
  return {
    findings: {
      lost,
      twice: counts.repeats,
      invented: counts.strangers.length + sum(({ strangers }) => strangers.length),
      torn: tornMessages(counts, ledger.sent),
      webhooksMissing: missingCopies(),
      wrong: load.wrong,
    },
    figures: {
      sent: ledger.sent,
      acknowledged: ledger.acknowledged,
      stored: counts.distinct,
      copies: sum(({ distinct }) => distinct),
      copiesRepeated: sum(({ repeats }) => repeats),
      storedAfterSeconds,
      webhooksAfterSeconds,
      answers: load.answers,
    },
  };
}

function tornMessages(counts: Counts, sent: number): number {
  let torn = 0;
  for (let first = 0; first < sent; first += recordsPerMessage) {
    let there = 0;
    for (let at = first; at < first + recordsPerMessage; at++) if (counts.of(at) > 0) there += 1;
    if (there !== 0 && there !== recordsPerMessage) torn += 1;
  }
  return torn;
}

/** Looks now and then; what has not come by then is counted. */
async function waitFor(check: () => boolean | Promise<boolean>, msMax: number): Promise<void> {
  await eventually(check, msMax, lookEveryMs).catch(() => undefined);
}
