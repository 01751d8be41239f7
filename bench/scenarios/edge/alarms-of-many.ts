import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { eventually } from '../../../test/support/eventually.ts';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, info } from '../../harness/figures.ts';
import { amount } from '../../harness/load/durations.ts';
import {
  caughtUp,
  connections,
  publishByAll,
  roundSeconds,
  usualRounds,
} from '../../harness/load/rounds.ts';
import { load } from '../../harness/load/wrk.ts';
import { createPublishers, pack, writeMessages } from '../../harness/requests.ts';
import { type BenchEdge, metric, type Scenario } from '../../harness/setup.ts';

const records = 10;
const things = () => Number(process.env['BENCH_THINGS'] ?? amount(1_000_000, 10_000));
/** Longer than an edge takes to learn of a change. */
const learnedMs = 1_500;
/** Values that the edge held against rules. */
const evaluated = (edge: BenchEdge) => metric(edge.url, 'millrace_alarm_sink_evaluated_total');

/** Ingest of a million things with a rule that watches each of them, and with none, in turns. None fires. */
export const alarmsOfMany: Scenario = async (bench) => {
  const credentials: string[] = [];
  // One by one: so many are too many arguments for one call.
  for (const one of await createPublishers(bench.fleet, things())) credentials.push(one);
  const path = join(bench.scratch, 'requests of many');
  // Names without the thing, as one rule watches them.
  const write = (random: () => number, publisher: number, second: number) =>
    pack(random, publisher, records, second).replace(`"bn":"urn:dev:${publisher}:",`, '');
  writeMessages(path, credentials, 'application/senml+json', write, 1);
  const pool = new Pool({ connectionString: bench.system.databaseUrl, max: 1 });
  const edge = await bench.startEdge();
  const loadFor = (seconds: number) =>
    load({ url: edge.url, requestsPath: path, connections, seconds });
  const heardByAll = async () => {
    await publishByAll(things(), loadFor);
    await caughtUp(edge);
  };
  const off: Round[] = [];
  const on: Round[] = [];
  try {
    await heardByAll();
    for (let at = 0; at < usualRounds(); at++) {
      off.push(await costOf(bench, [edge], () => loadFor(roundSeconds())));
      await pool.query(
        `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity)
         SELECT DISTINCT ON (group_id) gen_random_uuid(), group_id, 'bench', 'all',
                '[{"name": "sensor0", "when": ">", "value": 1000}]'::jsonb, 0, 0, 'info' FROM things`,
      );
      await delay(learnedMs);
      // Each of them is known to the sink then, as after some time under the rule.
      if (at === 0) await heardByAll();
      on.push(await costOf(bench, [edge], () => loadFor(roundSeconds())));
      await eventually(async () => (await evaluated(edge)) > 0);
      await pool.query('DELETE FROM rules');
      await delay(learnedMs);
    }
    const [without, beside] = [medianRound(off), medianRound(on)];
    const share = beside.result.requestsPerSecond / without.result.requestsPerSecond;
    return [
      info('things', things(), 'things'),
      ...loadFigures('S10 of many things without rules', without, records),
      ...loadFigures('S10 of many things, each under a rule', beside, records),
      atLeast('ingest of many things, each under a rule, to without', share, 'ratio', 0.85),
      info('values held against rules, all rounds', await evaluated(edge), 'values'),
    ];
  } finally {
    await edge.stop();
    await pool.end();
  }
};
