import type {
  Answers,
  NewWebhook,
  Replay,
  Requests,
  Webhook,
  WebhookChange,
  WebhookDeliveries,
  Webhooks,
} from '../generated/types.ts';
import { call, done, type Service } from '../service.ts';

export class WebhooksClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Creates all of them or none. */
  async create(thingId: string, webhooks: NewWebhook[]): Promise<Webhook[]> {
    const request = { path: { id: thingId }, body: webhooks };
    const made = await call(this.#service, 'createWebhooks', request);
    return Array.isArray(made) ? made : made.webhooks;
  }

  /** Of all things of a group or an org, now and later. All of them or none. */
  async createFor(of: 'group' | 'org', id: string, webhooks: NewWebhook[]): Promise<Webhook[]> {
    const operation = of === 'group' ? 'createGroupWebhooks' : 'createOrgWebhooks';
    const made = await call(this.#service, operation, { path: { id }, body: webhooks });
    return Array.isArray(made) ? made : made.webhooks;
  }

  view(id: string): Promise<Webhook> {
    return call(this.#service, 'viewWebhook', { path: { id } });
  }

  listOfThing(id: string, query: Requests['listThingWebhooks']['query'] = {}): Promise<Webhooks> {
    return call(this.#service, 'listThingWebhooks', { path: { id }, query });
  }

  listOfGroup(id: string, query: Requests['listGroupWebhooks']['query'] = {}): Promise<Webhooks> {
    return call(this.#service, 'listGroupWebhooks', { path: { id }, query });
  }

  listOfOrg(id: string, query: Requests['listOrgWebhooks']['query'] = {}): Promise<Webhooks> {
    return call(this.#service, 'listOrgWebhooks', { path: { id }, query });
  }

  async update(id: string, change: WebhookChange): Promise<void> {
    await done(this.#service, 'updateWebhook', { path: { id }, body: change });
  }

  async delete(ids: string[]): Promise<void> {
    await done(this.#service, 'deleteWebhooks_delete', { body: { webhook_ids: ids } });
  }

  /** Sends it a small message; gives the message's id. */
  ping(id: string): Promise<Answers['pingWebhook']> {
    return call(this.#service, 'pingWebhook', { path: { id } });
  }

  /** The attempts to deliver to it, newest first. */
  deliveries(
    id: string,
    query: Requests['listWebhookDeliveries']['query'] = {},
  ): Promise<WebhookDeliveries> {
    return call(this.#service, 'listWebhookDeliveries', { path: { id }, query });
  }

  /** Delivers again; gives how many messages. */
  replay(id: string, which: Replay): Promise<Answers['replayWebhook']> {
    return call(this.#service, 'replayWebhook', { path: { id }, body: which });
  }
}
