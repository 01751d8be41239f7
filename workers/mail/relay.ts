import type { JobsOptions } from 'bullmq';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../infra/runtime/process/poll.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { openQueue } from '../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { mailQueue } from '../../schemas/internal/mail.ts';

const lookEveryMs = 1_000;
const mailsPerPassMax = 100;

const jobOptions: JobsOptions = {
  // The pause doubles from one or two seconds to half a day: a day and a half in all.
  attempts: 17,
  backoff: { type: 'exponential', delay: 2_000, jitter: 0.5 },
  // Remembered for longer than the row of a queued mail can stay in the outbox.
  removeOnComplete: { age: 86_400, count: 10_000 },
  // Operators look at these.
  removeOnFail: { age: 30 * 86_400, count: 10_000 },
};

/**
 * Moves mails from Postgres into the queue. A row is deleted when its job is there, under the row's id: after a crash
 * between the two the same job is added again, which changes nothing. While Redis or Postgres is away, mails wait.
 *
 * @returns how to stop.
 */
export function startMailRelay(
  { pool, redis }: { pool: Pool; redis: Redis },
  logger: Logger,
  moved: (count: number) => void,
): () => Promise<void> {
  const queue = openQueue(mailQueue, redis);

  async function moveSome(): Promise<Polled> {
    if (redis.status !== 'ready') return 'nothing';
    const mails = await findWaitingMails(pool, mailsPerPassMax);
    if (mails.length === 0) return 'nothing';
    await queue.addBulk(
      mails.map(({ id, message }) => ({
        name: 'mail',
        data: message,
        opts: { ...jobOptions, jobId: id },
      })),
    );
    const ids = mails.map(({ id }) => id);
    await deleteMails(pool, ids);
    moved(ids.length);
    return mails.length === mailsPerPassMax ? 'more' : 'some';
  }

  const stopPolling = startPolling(moveSome, {
    everyMs: lookEveryMs,
    onFailure(error) {
      // Only the text: Redis' errors hold the command, and so the mail.
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn({ error: reason }, 'mail waits in the outbox');
    },
  });
  return async () => {
    await stopPolling();
    await queue.close();
  };
}

/** A mail that waits to be put into the queue; what it holds is checked when it is sent. */
type WaitingMail = { id: string; message: unknown };

/** The oldest mails. Uses `mail_outbox_created`. */
async function findWaitingMails(pool: Pool, limit: number): Promise<WaitingMail[]> {
  const { rows } = await pool.query<WaitingMail>(
    'SELECT id, message FROM mail_outbox ORDER BY created_at LIMIT $1',
    [limit],
  );
  return rows;
}

/** Uses the primary key. */
async function deleteMails(pool: Pool, ids: string[]): Promise<void> {
  await pool.query('DELETE FROM mail_outbox WHERE id = ANY ($1::uuid[])', [ids]);
}
