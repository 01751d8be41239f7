import { randomUUID } from 'node:crypto';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { bytesPerRecord, fillStore } from '../../../test/support/messages/stored.ts';
import { costOf } from '../../harness/cost.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { amount } from '../../harness/load/durations.ts';
import { caughtUp, run, warmUpSeconds } from '../../harness/load/rounds.ts';
import type { Bench } from '../../harness/setup.ts';

const thingCount = 1_000;
const names = 10;
const perRound = thingCount * names;
const everySeconds = 60;
const counts = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
const countMax = () => Number(process.env['BENCH_RECORDS'] ?? amount(10_000_000, 3_000_000));
const reads = 20;

/** Ingest into, and reading from, a store that holds more and more. */
export const growthOfRecords: Scenario = async (bench) => {
  const clickhouse = openClickHouse(bench.system.clickhouseUrl, 'millrace-bench', 3_600_000);
  const edge = await bench.startEdge();
  const figures: Figure[] = [];
  const cpu: number[] = [];
  try {
    const things = await createThings(bench);
    await run(bench, edge, names, warmUpSeconds());
    await caughtUp(edge);
    for (const count of counts.filter((one) => one <= countMax())) {
      // Anew: what the rounds have brought repeats itself, and would look small.
      await clickhouse.command({ query: 'TRUNCATE TABLE senml' });
      await clickhouse.command({ query: 'DROP TABLE IF EXISTS senml_things' });
      await fillStore(clickhouse, 'senml', {
        things,
        names,
        everySeconds,
        rounds: count / perRound,
        begin: 1_700_000_000,
      });
      figures.push(
        info(
          `bytes per record by records / ${count}`,
          await bytesPerRecord(clickhouse, 'senml'),
          'bytes',
        ),
        info(`newest 10 of a thing by records / ${count}`, await newestMs(bench, things), 'ms'),
      );
      const { result, cost } = await costOf(bench, [edge], () => run(bench, edge, names));
      cpu.push(cost.cpuPerMillion);
      figures.push(
        info(`S${names} by records / ${count}`, result.requestsPerSecond, 'requests/s'),
        info(`ack p99 by records / ${count}`, result.p99Us / 1_000, 'ms'),
        info(`CPU seconds per million records by records / ${count}`, cost.cpuPerMillion, 's'),
        info(`ClickHouse memory by records / ${count}`, cost.storePeakBytes / 1024 ** 2, 'MiB'),
      );
    }
  } finally {
    await edge.stop();
    await clickhouse.close();
  }
  const ratio = (cpu.at(-1) ?? Number.NaN) / (cpu[0] ?? Number.NaN);
  return [
    ...figures,
    {
      ...atMost('CPU a record, most records to fewest', ratio, 'ratio', 1.1),
      note: 'what comes in is merged with what is about as much, and seldom with all that is stored',
    },
  ];
};

async function createThings({ fleet }: Bench): Promise<string[]> {
  const { profileId } = await fleet.thing();
  const ids: string[] = [];
  while (ids.length < thingCount) {
    const list = Array.from({ length: 100 }, () => ({ name: randomUUID(), type: 'sensor' }));
    ids.push(...(await fleet.createThings(profileId, list)).map(({ id }) => id));
  }
  return ids;
}

async function newestMs({ fleet }: Bench, things: string[]): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < reads; at++) {
    const startedAt = performance.now();
    await fleet.page('senml', { publisher: things[at] ?? '', limit: '10' });
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
