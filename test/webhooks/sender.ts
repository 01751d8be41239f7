import { randomUUID } from 'node:crypto';
import { type Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Secret } from '../../infra/runtime/process/config.ts';
import { createKeyVault, type KeyVault } from '../../infra/runtime/process/secrets.ts';
import { loadLocalSecrets } from '../../infra/local/installation/local-secrets.ts';
import { insertBundles } from '../../infra/runtime/webhooks/bundles.ts';
import { rowsOf } from '../../infra/runtime/stores/postgres.ts';
import {
  type WebhookJob,
  webhookJobId,
  webhookJobNames,
  webhookJobOptions,
  webhookMessageId,
  webhookBundleId,
  webhookQueue,
} from '../../schemas/internal/webhook-job.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import type { System } from '../support/system.ts';
import { bundleOf } from './bundles.ts';

const somePayload = '[{"n":"a","v":1}]';

/** A message of the thing. */
type Message = { payload: string | Buffer; content_type: string };

/** An attempt, as its row in Postgres has it. */
export type Delivery = {
  message_id: string;
  attempt: number;
  duration_ms: number;
  status: number | null;
  error: string | null;
  answer: Buffer;
};

/** What a webhook's row may hold. */
type WebhookFields = {
  headers?: Record<string, string>;
  secret?: string;
  previousSecret?: string;
  previousSecretUntil?: Date;
};

export const messageIdsIn = ({ bundle, messages }: WebhookJob): string[] =>
  messages.map(({ offset }) => webhookMessageId({ ...bundle, offset }));

/** Puts messages for webhooks into the queue as the sink does, and reads their results. */
export class Sender {
  readonly fleet: Fleet;
  readonly thing: Thing;
  readonly queue: Queue;
  readonly pool: Pool;
  readonly vault: KeyVault;
  readonly redis: Redis;

  private constructor(system: System, fleet: Fleet, thing: Thing, secretKey: string) {
    this.fleet = fleet;
    this.thing = thing;
    this.redis = new Redis(system.redisUrl, { maxRetriesPerRequest: null });
    this.redis.on('error', () => undefined);
    this.queue = new Queue(webhookQueue, { connection: this.redis });
    this.queue.on('error', () => undefined);
    this.pool = new Pool({ connectionString: system.databaseUrl, max: 2 });
    this.pool.on('error', () => undefined);
    this.vault = createKeyVault(new Secret(secretKey));
  }

  /** `secretKey` is the one the system was given, if it was. */
  static async open(
    system: System,
    secretKey = loadLocalSecrets(system.dataDir).secretKey,
  ): Promise<Sender> {
    const fleet = await Fleet.login(system);
    return new Sender(system, fleet, await fleet.thing(), secretKey);
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.redis.disconnect();
    await this.pool.end();
    await this.fleet.close();
  }

  /** A webhook of the thing, put straight into its table. */
  async webhook(url: string, fields: WebhookFields = {}, thingId = this.thing.id): Promise<string> {
    const id = randomUUID();
    const seal = (secret?: string) => (secret === undefined ? null : this.vault.seal(secret));
    await this.pool.query(
      `INSERT INTO webhooks (id, thing_id, name, url, headers_sealed, secret_sealed,
                             previous_secret_sealed, previous_secret_until)
       VALUES ($1, $2, 'webhook', $3, $4, $5, $6, $7)`,
      [
        id,
        thingId,
        url,
        seal(JSON.stringify(fields.headers ?? {})),
        seal(fields.secret),
        seal(fields.previousSecret),
        fields.previousSecretUntil ?? null,
      ],
    );
    return id;
  }

  /** Adds one message for a webhook, as a job of its own; its id. */
  async send(webhookId: string, message: Partial<Message> = {}): Promise<string> {
    const [id = ''] = await this.sendAll([{ ...message, webhook_id: webhookId }]);
    return id;
  }

  /** Adds messages, each as a job of its own; their ids. */
  async sendAll(messages: (Partial<Message> & { webhook_id: string })[]): Promise<string[]> {
    const bundles = messages.map(({ webhook_id: webhookId, ...message }) => {
      const { payload = somePayload, content_type: contentType = 'application/senml+json' } =
        message;
      const kept = bundleOf([{ thingId: this.thing.id, payload, contentType }]);
      return { webhookId, kept };
    });
    await insertBundles(
      rowsOf(this.pool),
      bundles.map(({ kept }) => kept),
    );
    const jobs = bundles.map(({ webhookId, kept }) => {
      const [offset = 0] = kept.offsets;
      const data: WebhookJob = {
        bundle: kept.key,
        bytes: kept.frames.length,
        messages: [{ offset, webhook_ids: [webhookId] }],
      };
      const jobId = webhookJobId(webhookMessageId({ ...kept.key, offset }), webhookId);
      return { name: webhookJobNames.single, data, opts: { ...webhookJobOptions, jobId } };
    });
    await this.queue.addBulk(jobs);
    return jobs.map(({ opts }) => opts.jobId);
  }

  /** Keeps one message after the other in bundles of so many, each for these webhooks; the bundles as jobs. */
  async keepBundles(
    messages: { webhook_ids: string[]; payload?: string }[],
    size: number,
  ): Promise<WebhookJob[]> {
    const bundles = Array.from({ length: Math.ceil(messages.length / size) }, (_, at) => {
      const some = messages.slice(at * size, (at + 1) * size);
      const kept = bundleOf(
        some.map(({ payload = somePayload }) => ({ thingId: this.thing.id, payload })),
      );
      const job = {
        bundle: kept.key,
        bytes: kept.frames.length,
        messages: some.map(({ webhook_ids: ids }, place) => ({
          offset: kept.offsets[place] ?? 0,
          webhook_ids: ids,
        })),
      };
      return { kept, job };
    });
    const kept = bundles.map((bundle) => bundle.kept);
    await insertBundles(rowsOf(this.pool), kept);
    return bundles.map(({ job }) => job);
  }

  /** Adds bundles; the ids of their jobs. */
  async addBundles(bundles: WebhookJob[]): Promise<string[]> {
    const jobs = bundles.map((data) => ({
      name: webhookJobNames.bundle,
      data,
      opts: { ...webhookJobOptions, jobId: webhookBundleId(data.bundle) },
    }));
    await this.queue.addBulk(jobs);
    return jobs.map(({ opts }) => opts.jobId);
  }

  /** @throws when there is no such job any more. */
  async job(id: string): Promise<Job> {
    const job = await this.queue.getJob(id);
    if (job === undefined) throw new Error(`no job ${id}`);
    return job;
  }

  async deliveries(webhookId: string): Promise<Delivery[]> {
    const { rows } = await this.pool.query<Delivery>(
      `SELECT message_id, attempt, duration_ms, status, error, answer
       FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id`,
      [webhookId],
    );
    return rows;
  }

  async row(webhookId: string): Promise<Record<string, unknown>> {
    const { rows } = await this.pool.query('SELECT * FROM webhooks WHERE id = $1', [webhookId]);
    return Object(rows[0]);
  }
}
