import type { Static } from 'typebox';
import type {
  DeliveriesQuery,
  NewWebhook,
  Replay,
  Webhook,
  WebhookChange,
  WebhookDeliveries,
  Webhooks,
  WebhooksQuery,
} from '../../schemas/webhook.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having, listOf } from './shape.ts';
import { path } from './urls.ts';

type List = Static<typeof Webhooks>;
type Deliveries = Static<typeof WebhookDeliveries>;

const webhookShape = having<Webhook>('id', 'name', 'url');
const pageShape = having<List>('total', 'webhooks');

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

  listOfThing(thingId: string, query: ListQuery<typeof WebhooksQuery> = {}): Promise<List> {
    return read(this.#service, this.#url('things', thingId, 'webhooks'), pageShape, query);
  }

  listOfGroup(groupId: string, query: ListQuery<typeof WebhooksQuery> = {}): Promise<List> {
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

  /** Sends it a small message; gives the message's id. */
  ping(id: string): Promise<{ message_id: string }> {
    const { transport, as } = this.#service;
    const url = this.#url('webhooks', id, 'ping');
    return transport.json(
      { method: 'POST', url, as },
      having<{ message_id: string }>('message_id'),
    );
  }

  /** The tries to deliver to it, the last one first. */
  deliveries(id: string, query: DeliveriesQuery = {}): Promise<Deliveries> {
    const url = this.#url('webhooks', id, 'deliveries');
    return read(this.#service, url, having<Deliveries>('total', 'deliveries'), query);
  }

  /** Delivers again; gives how many messages. */
  replay(id: string, which: Replay): Promise<{ queued: number }> {
    const { transport, as } = this.#service;
    const url = this.#url('webhooks', id, 'replay');
    return transport.json(
      { method: 'POST', url, as, json: which },
      having<{ queued: number }>('queued'),
    );
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.webhooks}${path(...parts)}`;
  }
}
