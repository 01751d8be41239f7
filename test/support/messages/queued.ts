import type { Pool } from 'pg';
import { rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { readBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import type { OrgMessages } from '../../../infra/runtime/webhooks/jobs.ts';
import { type BundleKey, webhookMessageId } from '../../../schemas/internal/webhook-job.ts';
import type { Thing } from '../fleet.ts';

/** A message as a bundle has it, and the webhooks that it is due to. */
type Message = {
  jobId: string;
  messageId: string;
  thingId: string;
  requestId: string;
  contentType: string;
  payload: Buffer;
  webhookIds: string[];
};

type Job = { id: string; key: BundleKey; orgs: OrgMessages[] };

function numbersIn({ payload }: Message): number[] {
  const records: { v: number }[] = JSON.parse(payload.toString());
  return records.map(({ v }) => v);
}

/** Messages that the sink of webhooks left in PostgreSQL and no worker has taken, while the workers stand still. */
export class QueuedMessages {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async #messagesIn(jobs: Job[]): Promise<Message[]> {
    const keys = jobs.map(({ key }) => key);
    const kept = await readBundles(rowsOf(this.#pool), keys);
    return jobs.flatMap(({ id, key, orgs }, at) => {
      const messages = orgs.flatMap((org) => org.messages).toSorted((a, b) => a.offset - b.offset);
      return messages.map(({ offset, webhook_ids: webhookIds }): Message => {
        const message = kept[at]?.get(offset);
        if (message === undefined) throw new Error('it is not kept');
        const messageId = webhookMessageId({ ...key, offset });
        return { ...message, jobId: id, messageId, webhookIds };
      });
    });
  }

  /** Messages of a thing that wait, oldest first. */
  async messagesOf(thing: Thing): Promise<Message[]> {
    const { rows } = await this.#pool.query<Job>(
      `SELECT id, orgs, json_build_object('log', log_id, 'segment', segment, 'first', first_offset,
                                          'last', last_offset) AS key
       FROM webhook_jobs WHERE kind = 'bundle' AND queued_at IS NULL
       ORDER BY since, log_id, segment, first_offset`,
    );
    return (await this.#messagesIn(rows)).filter(({ thingId }) => thingId === thing.id);
  }

  /** The numbers in the payloads of a thing's messages that wait. */
  async numbersOf(thing: Thing): Promise<number[]> {
    return (await this.messagesOf(thing)).flatMap(numbersIn);
  }

  /** Takes what waits of a thing, and gives its numbers. What came since stays. */
  async takeNumbers(thing: Thing): Promise<number[]> {
    const messages = await this.messagesOf(thing);
    const ids = [...new Set(messages.map(({ jobId }) => jobId))];
    await this.#pool.query('DELETE FROM webhook_jobs WHERE id = ANY ($1::text[])', [ids]);
    return messages.flatMap(numbersIn);
  }
}
