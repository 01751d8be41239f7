import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { AddressesAllowed } from '../../../infra/runtime/network/addresses-allowed.ts';
import type { Database } from '../../stores/database.ts';
import { Type } from 'typebox';
import { about, listOr } from '../../../schemas/http/common.ts';
import {
  DeliveriesQuery,
  NewWebhook,
  Replay,
  Webhook,
  WebhookChange,
  WebhookDeliveries,
  WebhookIds,
  Webhooks,
  WebhooksQuery,
} from '../../../schemas/resources/webhook.ts';
import { userOf } from '../../access/caller.ts';
import { present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, Empty, IdParams } from '../../http/schemas.ts';
import { checkWebhook } from './check.ts';
import { countWaiting, findDeliveries } from './deliveries-sql.ts';
import { ping, replay } from './send.ts';
import { deleteWebhooks, findWebhook, findWebhooks, insertWebhooks, noneMissed } from './sql.ts';
import { changeWebhook, shownTo, toInsert } from './webhook.ts';

const Batch = Type.Array(NewWebhook, { minItems: 1, maxItems: limits.webhooksPerPlaceMax });
const Wrapped = Type.Object({ webhooks: about(Batch, 'Webhooks to make.') });

/** The platform's clients send a list, or an object with the list. */
const ListOrWrapped = listOr(Batch, Wrapped);

/** In the form of the request. Only the platform's SDK sends a list with empty `id`s, and expects an object. */
const MadeWebhooks = listOr(
  Type.Array(Webhook),
  Type.Object({ webhooks: about(Type.Array(Webhook), 'Webhooks that were made.') }),
);

/** Each place that has webhooks. */
const places = [
  {
    of: 'thing',
    url: '/things/:id/webhooks',
    list: 'listThingWebhooks',
    create: 'createWebhooks',
  },
  {
    of: 'group',
    url: '/groups/:id/webhooks',
    list: 'listGroupWebhooks',
    create: 'createGroupWebhooks',
  },
  { of: 'org', url: '/orgs/:id/webhooks', list: 'listOrgWebhooks', create: 'createOrgWebhooks' },
] as const;

export type WebhookDependencies = {
  db: Database;
  vault: KeyVault;
  addressesAllowed: AddressesAllowed;
  announceKeyChanges: () => void;
};

export function webhookRoutes(api: Api, dependencies: WebhookDependencies): void {
  addPlaces(api, dependencies);
  addSingle(api, dependencies);
  addDeliveries(api, dependencies);
}

/** Creation and lists, at each place. */
function addPlaces(
  api: Api,
  { db, vault, addressesAllowed, announceKeyChanges }: WebhookDependencies,
): void {
  for (const { of, url, list, create } of places) {
    api.route({
      method: 'POST',
      url,
      bodyLimit: limits.batchBodyBytesMax,
      schema: { params: IdParams, body: ListOrWrapped, response: { 201: MadeWebhooks } },
      config: { operation: create },
      handler: async (request, reply) => {
        const { body } = request;
        const isList = Array.isArray(body);
        const given = isList ? body : body.webhooks;
        for (const [i, one] of given.entries()) {
          checkWebhook(addressesAllowed, one, isList ? `${i}.` : `webhooks.${i}.`);
        }
        const rows = given.map((one) => toInsert(vault, one));
        const place = { of, id: request.params.id.toLowerCase() };
        const held = present(await insertWebhooks(db, place, rows), of);
        announceKeyChanges();
        const fresh = {
          ...held,
          failing_since: null,
          disabled_at: null,
          disabled_why: null,
          ...noneMissed,
        };
        const webhooks = rows.map((row) => shownTo(request.role, vault, { ...row, ...fresh }));
        const isWrapped = !isList || given.some((one) => 'id' in one);
        return reply.status(201).send(isWrapped ? { webhooks } : webhooks);
      },
    });

    api.route({
      method: 'GET',
      url,
      schema: { params: IdParams, querystring: WebhooksQuery, response: { 200: Webhooks } },
      config: { operation: list },
      handler: async ({ params, query, role }) => {
        const { total, rows } = await findWebhooks(db, { of, id: params.id }, query);
        const webhooks = rows.map((row) => shownTo(role, vault, row));
        return { ...envelope(query, total), webhooks };
      },
    });
  }
}

/** One webhook, and deletion of several. */
function addSingle(
  api: Api,
  { db, vault, addressesAllowed, announceKeyChanges }: WebhookDependencies,
): void {
  api.route({
    method: 'GET',
    url: '/webhooks/:id',
    schema: { params: IdParams, response: { 200: Webhook } },
    config: { operation: 'viewWebhook' },
    handler: async ({ params, role }) => {
      const webhook = present(await findWebhook(db, params.id), 'webhook');
      const waiting = await countWaiting(db, webhook.id, limits.waitingJobsCountedMax);
      return {
        ...shownTo(role, vault, webhook),
        ...(waiting === 0 ? {} : { waiting_copies: waiting }),
      };
    },
  });

  api.route({
    method: 'PUT',
    url: '/webhooks/:id',
    schema: { params: IdParams, body: WebhookChange, response: { 200: Empty } },
    config: { operation: 'updateWebhook' },
    handler: async (request, reply) => {
      checkWebhook(addressesAllowed, request.body);
      await changeWebhook(db, vault, request.params.id, request.body);
      announceKeyChanges();
      return reply.send();
    },
  });

  for (const method of ['DELETE', 'PATCH'] as const) {
    api.route({
      method,
      url: '/webhooks',
      schema: { body: WebhookIds, response: { 204: Empty } },
      config: { operation: 'deleteWebhooks' },
      handler: async (request, reply) => {
        const ids = new Set(request.body.webhook_ids.map((id) => id.toLowerCase()));
        await deleteWebhooks(db, userOf(request), [...ids]);
        announceKeyChanges();
        return reply.status(204).send();
      },
    });
  }
}

/** Tests, attempts and replays. */
function addDeliveries(api: Api, { db }: WebhookDependencies): void {
  api.route({
    method: 'POST',
    url: '/webhooks/:id/ping',
    schema: {
      params: IdParams,
      response: {
        202: Type.Object({
          message_id: about(Type.String(), 'Id of the message that is sent.', 'msg_2f6f1c1f7a10'),
        }),
      },
    },
    config: { operation: 'pingWebhook' },
    handler: async (request, reply) => {
      const webhook = present(await findWebhook(db, request.params.id), 'webhook');
      return reply.status(202).send({ message_id: await ping(db, webhook) });
    },
  });

  api.route({
    method: 'GET',
    url: '/webhooks/:id/deliveries',
    schema: {
      params: IdParams,
      querystring: DeliveriesQuery,
      response: { 200: WebhookDeliveries },
    },
    config: { operation: 'listWebhookDeliveries' },
    handler: async ({ params, query }) => {
      const { offset = 0, limit = limits.pageLimitDefault } = query;
      const { total, rows } = await findDeliveries(db, params.id, query);
      return { ...query, total, offset, limit, deliveries: rows };
    },
  });

  api.route({
    method: 'POST',
    url: '/webhooks/:id/replay',
    schema: {
      params: IdParams,
      body: Replay,
      response: {
        202: Type.Object({ queued: about(Type.Integer(), 'Deliveries that are made again.', 3) }),
      },
    },
    config: { operation: 'replayWebhook' },
    handler: async (request, reply) => {
      const webhook = present(await findWebhook(db, request.params.id), 'webhook');
      const queued = await replay(db, webhook, request.body);
      return reply.status(202).send({ queued });
    },
  });
}
