import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Job, Queue } from 'bullmq';
import { LRUCache } from 'lru-cache';
import { Compile } from 'typebox/compile';
import { MailMessage } from '../../../schemas/internal/mail.ts';
import { readWebhookJob } from '../../../schemas/internal/webhook-job.ts';
import type { Database } from '../../stores/database.ts';
import { findNamesOf } from './sql.ts';

const mails = Compile(MailMessage);

const namesMax = 1_000;
const nameCharsMax = 60;
const urlCharsMax = 120;
/** How many of a job's things and webhooks are named. */
const namedMax = 2;

/** The queue of webhooks. Each job is shown under the names of its things and their webhooks. */
export class NamedWebhookJobs extends BullMQAdapter {
  readonly #db: Database;
  /** By job. The board formats a job right after it was read. */
  readonly #names = new LRUCache<string, string>({ max: namesMax });

  constructor(queue: Queue, db: Database) {
    super(queue, { description: 'Deliveries of messages to webhooks' });
    this.#db = db;
    this.setFormatter('name', ({ id, name }) => this.#names.get(id) ?? name);
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    if (job !== undefined) await this.#lookUp([job]);
    return job;
  }

  override async getJobs(...asked: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    const jobs = await super.getJobs(...asked);
    await this.#lookUp(jobs);
    return jobs;
  }

  async #lookUp(jobs: readonly Job[]): Promise<void> {
    const known = jobs.flatMap(({ id = '', data }) => {
      const job = readWebhookJob(data);
      return job === undefined ? [] : [{ id, ...job }];
    });
    // The board works without names, and is needed most when Postgres is away.
    const names = await findNamesOf(this.#db, known).catch(() => new Map<string, never>());
    for (const { id, messages } of known) {
      const { things = [], webhooks = [] } = names.get(id) ?? {};
      if (webhooks.length === 0) continue;
      const what = messages.length === 1 ? '' : `${messages.length} messages of `;
      const whose = some(things.map((thing) => short(thing, nameCharsMax)));
      const where = webhooks.map(
        ({ name, url }) => `${short(name, nameCharsMax)} (${short(url, urlCharsMax)})`,
      );
      this.#names.set(id, `${what}${whose || 'no thing'} → ${some(where)}`);
    }
  }
}

/** The queue of mails. Each is shown under its subject and its receiver. */
export function namedMails(queue: Queue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { description: 'Mails' });
  adapter.setFormatter('name', ({ name, data }) =>
    mails.Check(data) ? `${short(data.subject, urlCharsMax)} → ${data.to}` : name,
  );
  return adapter;
}

const short = (text: string, charsMax: number): string =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;

function some(names: readonly string[]): string {
  const more = names.length - namedMax;
  return `${names.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
