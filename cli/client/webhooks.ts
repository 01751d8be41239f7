import { read, type Service } from './service.ts';
import { having, listOf } from './shape.ts';
import { path } from './urls.ts';

export type NewWebhook = {
  name: string;
  url: string;
  headers?: Record<string, string>;
  metadata?: Record<string, unknown>;
  /** Signs what is sent. */
  secret?: string;
};

/** Absent stays as it is; `null` clears what can be without. */
export type WebhookChange = {
  name?: string;
  url?: string;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  secret?: string | null;
};

export type Webhook = NewWebhook & { id: string; thing_id: string; group_id: string };

export type Webhooks = { total: number; offset: number; limit: number; webhooks: Webhook[] };

const webhookShape = having<Webhook>('id', 'name', 'url');
const pageShape = having<Webhooks>('total', 'webhooks');

export class WebhooksClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** All of them or none. */
  create(thingId: string, webhooks: NewWebhook[]): Promise<Webhook[]> {
    const { transport, as } = this.#service;
    const url = this.#url('things', thingId, 'webhooks');
    return transport.json({ method: 'POST', url, as, json: webhooks }, listOf(webhookShape));
  }

  view(id: string): Promise<Webhook> {
    return read(this.#service, this.#url('webhooks', id), webhookShape);
  }

  listOfThing(thingId: string, query: { limit?: number; offset?: number } = {}): Promise<Webhooks> {
    return read(this.#service, this.#url('things', thingId, 'webhooks'), pageShape, query);
  }

  listOfGroup(groupId: string, query: { limit?: number; offset?: number } = {}): Promise<Webhooks> {
    return read(this.#service, this.#url('groups', groupId, 'webhooks'), pageShape, query);
  }

  async update(id: string, change: WebhookChange): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url('webhooks', id), as, json: change });
  }

  async delete(ids: string[]): Promise<void> {
    const { transport, as } = this.#service;
    const json = { webhook_ids: ids };
    await transport.done({ method: 'DELETE', url: this.#url('webhooks'), as, json });
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.webhooks}${path(...parts)}`;
  }
}
