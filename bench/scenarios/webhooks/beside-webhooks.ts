import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, info } from '../../harness/figures.ts';
import { type Scenario } from '../../harness/setup.ts';
import { caughtUp, run, usualRounds, warmUpSeconds } from '../../harness/load/rounds.ts';
import { metric } from '../../harness/setup.ts';

const records = 10;
const webhooks = 10;
/** Longer than an edge takes to learn of a change. */
const learnedMs = 1_500;

/** Ingest with ten webhooks whose deliveries are under way, and with none, in turns. */
export const besideWebhooks: Scenario = async (bench) => {
  const receiver = await bench.startBare();
  const pool = new Pool({ connectionString: bench.system.databaseUrl, max: 1 });
  const edge = await bench.startEdge();
  const off: Round[] = [];
  const on: Round[] = [];
  const jobs = () => metric(edge.url, 'millrace_webhook_sink_deliveries_total');
  try {
    await run(bench, edge, records, warmUpSeconds());
    await caughtUp(edge);
    for (let at = 0; at < usualRounds(); at++) {
      off.push(await costOf(bench, [edge], () => run(bench, edge, records)));
      await pool.query(
        `INSERT INTO webhooks (id, thing_id, name, url)
         SELECT gen_random_uuid(), id, 'bench', $1
         FROM (SELECT id FROM things ORDER BY id LIMIT $2) AS things`,
        [`${receiver.url}/http/messages`, webhooks],
      );
      await delay(learnedMs);
      on.push(await costOf(bench, [edge], () => run(bench, edge, records)));
      await pool.query('DELETE FROM webhooks');
      await delay(learnedMs);
    }
    const [without, beside] = [medianRound(off), medianRound(on)];
    const share = beside.result.requestsPerSecond / without.result.requestsPerSecond;
    return [
      ...loadFigures('S10 without webhooks', without, records),
      ...loadFigures('S10 with ten webhooks', beside, records),
      atLeast('ingest with ten webhooks to without', share, 'ratio', 0.8),
      info('copies for webhooks, all rounds', await jobs(), 'jobs'),
    ];
  } finally {
    await edge.stop();
    await pool.end();
    await receiver.stop();
  }
};
