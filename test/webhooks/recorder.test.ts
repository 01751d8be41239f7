import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import { createEstate, loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { Recorder } from '../../workers/webhooks/record/recorder.ts';

const log = createLog('test', 'silent');
const pool = openPostgres(system().databaseUrl, 3, 10_000, log);
const recorder = new Recorder(pool, log);
/** As that of another process. */
const otherRecorder = new Recorder(pool, log);

afterAll(async () => {
  await recorder.close();
  await otherRecorder.close();
  await pool.end();
});

const bundle = { log: randomUUID(), segment: 1, first: 64, last: 64 };

async function insertJob(): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO webhook_jobs (id, kind, org_id, webhook_id, log_id, segment, first_offset, last_offset, offsets,
                               deliveries, bytes, due_at, queued_at)
     VALUES ($1, 'single', $2, $2, $3, $4, $5, $6, '{64}', 1, 1, now(), now())`,
    [id, randomUUID(), bundle.log, bundle.segment, bundle.first, bundle.last],
  );
  return id;
}

describe('a job that is done', () => {
  it('is recorded, also while another one is being recorded', async () => {
    const [first, second] = [await insertJob(), await insertJob()];
    const locker = await pool.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK TABLE webhook_jobs IN EXCLUSIVE MODE');
    const one = recorder.done({ id: first, bundle });
    await eventually(async () => {
      const { rows } = await locker.query(
        'SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass',
        ['webhook_jobs'],
      );
      expect(rows).toHaveLength(1);
    });
    const other = recorder.done({ id: second, bundle });
    await locker.query('COMMIT');
    locker.release();
    expect(await Promise.all([one, other])).toEqual([true, true]);
    const { rows } = await pool.query('SELECT id FROM webhook_jobs WHERE log_id = $1', [
      bundle.log,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('whether a webhook fails', () => {
  it('is as of its last attempt, whichever worker made it', async () => {
    const { orgId } = await createEstate(await loginAdmin());
    const webhookId = randomUUID();
    await pool.query(
      `INSERT INTO webhooks (id, org_id, name, url) VALUES ($1, $2, 'hook', 'https://example.com/')`,
      [webhookId, orgId],
    );
    const failsAfter = async (by: Recorder, isSuccess: boolean) => {
      const of = { webhookId, messageId: randomUUID(), requestId: null, attempt: 1 };
      const status = isSuccess ? 200 : 500;
      const call = { triedAtMs: Date.now(), durationMs: 1, status, error: null, answer: '' };
      by.attempted({ ...of, ...call, isSuccess });
      await eventually(async () => {
        const { rows } = await pool.query<{ fails: boolean }>(
          'SELECT failing_since IS NOT NULL AS fails FROM webhooks WHERE id = $1',
          [webhookId],
        );
        expect(rows).toEqual([{ fails: !isSuccess }]);
      });
    };
    await failsAfter(recorder, false);
    await failsAfter(otherRecorder, true);
    await failsAfter(recorder, false);
    await failsAfter(otherRecorder, true);
  });
});
