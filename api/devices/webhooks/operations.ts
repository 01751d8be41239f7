import { Type } from 'typebox';
import { about, listOr, Uuid } from '../../../schemas/http/common.ts';
import {
  DeliveriesQuery,
  NewWebhook,
  Replay,
  Webhook,
  WebhookChange,
  WebhookDeliveries,
  WebhookIds,
  WebhookMessage,
  Webhooks,
  WebhooksQuery,
} from '../../../schemas/resources/webhook.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';

const Batch = Type.Array(NewWebhook, { minItems: 1, maxItems: limits.webhooksPerPlaceMax });
const Wrapped = Type.Object({ webhooks: about(Batch, 'Webhooks to make.') });

/** The platform's clients send a list, or an object with the list. */
const ListOrWrapped = listOr(Batch, Wrapped);

/** In the form of the request. Only the platform's SDK sends a list with empty `id`s, and expects an object. */
const MadeWebhooks = listOr(
  Type.Array(Webhook),
  Type.Object({ webhooks: about(Type.Array(Webhook), 'Webhooks that were made.') }),
);

const creation = {
  method: 'POST',
  body: ListOrWrapped,
  bodyBytesMax: limits.batchBodyBytesMax,
  answers: { 201: MadeWebhooks },
  errors: ['conflict'],
  audit: 'webhook',
} as const;

const list = { method: 'GET', query: WebhooksQuery, answers: { 200: Webhooks } } as const;

/** By either method: some clients and proxies don't send a body with DELETE. For an editor of each of them. */
const deletion = {
  path: '/webhooks',
  needs: { kind: 'user' },
  body: WebhookIds,
  answers: { 204: Empty },
  summary: 'Delete webhooks',
  errors: ['forbidden', 'not_found'],
  audit: 'webhook',
  removes: true,
} as const;

export const webhooks = operations('webhooks', {
  createWebhooks: {
    ...creation,
    path: '/things/:id/webhooks',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    summary:
      'Create webhooks of a thing; answered as they were sent, as a list or wrapped, and wrapped where an element has an `id`',
  },
  createGroupWebhooks: {
    ...creation,
    path: '/groups/:id/webhooks',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    summary:
      'Create webhooks of all things of a group, now and later; answered as those of a thing',
  },
  /** They get what every group of the org gets: who owns the org owns each of its groups, and nobody else does. */
  createOrgWebhooks: {
    ...creation,
    path: '/orgs/:id/webhooks',
    needs: { kind: 'member', role: 'owner', of: 'org' },
    summary: 'Create webhooks of all things of an org, now and later; answered as those of a thing',
  },
  listThingWebhooks: {
    ...list,
    path: '/things/:id/webhooks',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    summary: 'List the webhooks of a thing',
  },
  listGroupWebhooks: {
    ...list,
    path: '/groups/:id/webhooks',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    summary: 'List the webhooks of a group, and of its things',
  },
  listOrgWebhooks: {
    ...list,
    path: '/orgs/:id/webhooks',
    needs: { kind: 'member', role: 'owner', of: 'org' },
    summary: 'List the webhooks of an org, and of its groups and their things',
  },
  viewWebhook: {
    method: 'GET',
    path: '/webhooks/:id',
    needs: { kind: 'member', role: 'viewer', of: 'webhook' },
    answers: { 200: Webhook },
    summary: 'View a webhook',
  },
  updateWebhook: {
    method: 'PUT',
    path: '/webhooks/:id',
    needs: { kind: 'member', role: 'editor', of: 'webhook' },
    body: WebhookChange,
    answers: { 200: Empty },
    summary:
      'Change a webhook, disable or enable it; a secret that is replaced signs too for a day',
    audit: 'webhook',
  },
  deleteWebhooks_delete: { method: 'DELETE', ...deletion },
  deleteWebhooks_patch: { method: 'PATCH', ...deletion },
  pingWebhook: {
    method: 'POST',
    path: '/webhooks/:id/ping',
    needs: { kind: 'member', role: 'editor', of: 'webhook' },
    answers: {
      202: Type.Object({
        message_id: about(Type.String(), 'Id of the message that is sent.', 'msg_2f6f1c1f7a10'),
      }),
    },
    summary: 'Send a small message to a webhook, to test it',
    about: 'It is delivered, retried and written down like any other.',
    errors: ['conflict'],
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    needs: { kind: 'member', role: 'viewer', of: 'webhook' },
    query: DeliveriesQuery,
    answers: { 200: WebhookDeliveries },
    summary: 'List the attempts to deliver to a webhook',
  },
  viewWebhookMessage: {
    method: 'GET',
    path: '/webhooks/:id/messages/:messageId',
    needs: { kind: 'member', role: 'viewer', of: 'webhook' },
    params: Type.Object({ id: Uuid, messageId: Type.String({ minLength: 1, maxLength: 128 }) }),
    answers: { 200: WebhookMessage },
    summary: 'View a message as a webhook gets it',
    about:
      'Of a thing whose messages it gets now, or a notice that it was sent; kept for seven days.',
    errors: ['not_found'],
  },
  replayWebhook: {
    method: 'POST',
    path: '/webhooks/:id/replay',
    needs: { kind: 'member', role: 'editor', of: 'webhook' },
    body: Replay,
    answers: {
      202: Type.Object({ queued: about(Type.Integer(), 'Deliveries that are made again.', 3) }),
    },
    summary: 'Deliver again: one message, those whose last attempt failed, or those of a time',
    errors: ['conflict'],
    auditAlso: 'webhook',
  },
});
