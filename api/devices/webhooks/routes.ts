import type { AddressesAllowed } from '../../../infra/runtime/network/addresses-allowed.ts';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { userOf } from '../../access/caller.ts';
import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { checkWebhook } from './check.ts';
import { countWaiting, findDeliveries } from './deliveries-sql.ts';
import { findSources, readMessage } from './messages.ts';
import { webhooks } from './operations.ts';
import { ping, replay } from './send.ts';
import { deleteWebhooks, findWebhook, findWebhooks, insertWebhooks, noneMissed } from './sql.ts';
import { changeWebhook, shownTo, toInsert } from './webhook.ts';

type WebhookDependencies = {
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
  const places = [
    ['thing', webhooks.createWebhooks, webhooks.listThingWebhooks],
    ['group', webhooks.createGroupWebhooks, webhooks.listGroupWebhooks],
    ['org', webhooks.createOrgWebhooks, webhooks.listOrgWebhooks],
  ] as const;
  for (const [of, create, list] of places) {
    handle(api, create, async (request, reply) => {
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
      const shown = rows.map((row) => shownTo(request.role, vault, { ...row, ...fresh }));
      const isWrapped = !isList || given.some((one) => 'id' in one);
      return reply.status(201).send(isWrapped ? { webhooks: shown } : shown);
    });

    handle(api, list, async ({ params, query, role }) => {
      const { total, rows } = await findWebhooks(db, { of, id: params.id }, query);
      const shown = rows.map((row) => shownTo(role, vault, row));
      return { ...envelope(query, total), webhooks: shown };
    });
  }
}

/** One webhook, and deletion of several. */
function addSingle(
  api: Api,
  { db, vault, addressesAllowed, announceKeyChanges }: WebhookDependencies,
): void {
  handle(api, webhooks.viewWebhook, async ({ params, role }) => {
    const webhook = present(await findWebhook(db, params.id), 'webhook');
    const waiting = await countWaiting(db, webhook.id, limits.waitingJobsCountedMax);
    return {
      ...shownTo(role, vault, webhook),
      ...(waiting === 0 ? {} : { waiting_deliveries: waiting }),
    };
  });

  handle(api, webhooks.updateWebhook, async (request, reply) => {
    checkWebhook(addressesAllowed, request.body);
    await changeWebhook(db, vault, request.params.id, request.body);
    announceKeyChanges();
    return reply.send();
  });

  for (const operation of [webhooks.deleteWebhooks_delete, webhooks.deleteWebhooks_patch]) {
    handle(api, operation, async (request, reply) => {
      const ids = new Set(request.body.webhook_ids.map((id) => id.toLowerCase()));
      await deleteWebhooks(db, userOf(request), [...ids]);
      announceKeyChanges();
      return reply.status(204).send();
    });
  }
}

/** Tests, attempts and replays. */
function addDeliveries(api: Api, { db }: WebhookDependencies): void {
  handle(api, webhooks.pingWebhook, async (request, reply) => {
    const webhook = present(await findWebhook(db, request.params.id), 'webhook');
    return reply.status(202).send({ message_id: await ping(db, webhook) });
  });

  handle(api, webhooks.listWebhookDeliveries, async ({ params, query }) => {
    const { offset = 0, limit = limits.pageLimitDefault } = query;
    const webhook = present(await findWebhook(db, params.id), 'webhook');
    const { total, rows } = await findDeliveries(db, webhook.id, query);
    const sources = await findSources(
      db,
      webhook,
      rows.map((row) => row.message_id),
    );
    const deliveries = rows.map((row) => ({ ...row, ...sources.get(row.message_id) }));
    return { ...query, total, offset, limit, deliveries };
  });

  handle(api, webhooks.viewWebhookMessage, async ({ params }) => {
    const webhook = present(await findWebhook(db, params.id), 'webhook');
    return present(await readMessage(db, webhook, params.messageId), 'message');
  });

  handle(api, webhooks.replayWebhook, async (request, reply) => {
    const webhook = present(await findWebhook(db, request.params.id), 'webhook');
    const queued = await replay(db, webhook, request.body);
    return reply.status(202).send({ queued });
  });
}
