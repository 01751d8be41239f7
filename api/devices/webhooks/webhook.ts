import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Value } from 'typebox/value';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { includesRole, type Role } from '../../../schemas/roles.ts';
import {
  Headers,
  type NewWebhook,
  ownHeaders,
  type Webhook,
  type WebhookChange,
} from '../../../schemas/resources/webhook.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import { keysShowFrom } from '../../access/authorize.ts';
import { lockWebhook, type StoredWebhook, updateWebhook, type WebhookToInsert } from './sql.ts';

/** A new webhook as Postgres stores it. */
export function toInsert(vault: KeyVault, given: NewWebhook): WebhookToInsert {
  return {
    id: randomUUID(),
    name: given.name,
    url: given.url,
    headersSealed: sealedHeaders(vault, ownHeaders(given.headers ?? {})),
    messages: given.messages ?? true,
    metadata: given.metadata ?? {},
    secretSealed: sealed(vault, given.secret ?? null),
  };
}

/**
 * A webhook as a caller with `role` may see it: headers, secret and the whole URL, which may hold a credential too, are
 * only for editors and above.
 */
export function shownTo(role: Role | null, vault: KeyVault, webhook: StoredWebhook): Webhook {
  const { secretSealed, headersSealed, url, failing_since, disabled_at, disabled_why, ...others } =
    webhook;
  const { missed_deliveries, missed_from, missed_to, messages, ...alike } = others;
  const { thing_id, group_id, org_id, ...shown } = alike;
  const showsSecrets = role !== null && includesRole(role, keysShowFrom);
  return {
    ...shown,
    ...(thing_id === null ? {} : { thing_id }),
    ...(group_id === null ? {} : { group_id }),
    ...(org_id === null ? {} : { org_id }),
    url: showsSecrets ? url : new URL(url).origin,
    ...(messages ? {} : { messages }),
    ...(showsSecrets ? { headers: openedHeaders(vault, headersSealed) } : {}),
    ...(secretSealed === null || !showsSecrets ? {} : { secret: vault.open(secretSealed) }),
    ...(failing_since === null ? {} : { failing_since: failing_since.toISOString() }),
    ...(disabled_at === null ? {} : { disabled_at: disabled_at.toISOString() }),
    ...(disabled_why === null ? {} : { disabled_why }),
    ...(missed_deliveries === 0 ? {} : { missed_deliveries }),
    ...(missed_from === null ? {} : { missed_from: missed_from.toISOString() }),
    ...(missed_to === null ? {} : { missed_to: missed_to.toISOString() }),
  };
}

/**
 * Sets what is given; `null` clears. An equal secret and equal headers are no change, so that a client that writes back
 * what it read does not end the previous secret.
 *
 * @throws DomainError `not_found`
 */
export async function changeWebhook(
  db: Database,
  vault: KeyVault,
  id: string,
  { secret, headers, messages, metadata, name, url, disabled }: WebhookChange,
): Promise<void> {
  await db.transaction(async (work) => {
    const { secretSealed, headersSealed } = present(await lockWebhook(work, id), 'webhook');
    const isSame = secret === (secretSealed === null ? null : vault.open(secretSealed));
    const own = headers === null ? {} : headers && ownHeaders(headers);
    const change = {
      name,
      url,
      headersSealed:
        own === undefined || isDeepStrictEqual(own, openedHeaders(vault, headersSealed))
          ? undefined
          : sealedHeaders(vault, own),
      messages,
      metadata: metadata === null ? {} : metadata,
      secretSealed: secret === undefined || isSame ? undefined : sealed(vault, secret),
      disabled,
    };
    await updateWebhook(work, id, change, limits.previousSecretSeconds);
  });
}

/** As they are stored. */
function sealedHeaders(vault: KeyVault, headers: Record<string, string>): Buffer | null {
  return Object.keys(headers).length === 0 ? null : vault.seal(JSON.stringify(headers));
}

function openedHeaders(vault: KeyVault, bytes: Buffer | null): Record<string, string> {
  return bytes === null ? {} : Value.Parse(Headers, JSON.parse(vault.open(bytes)));
}

function sealed(vault: KeyVault, secret: string | null): Buffer | null {
  return secret === null ? null : vault.seal(secret);
}
