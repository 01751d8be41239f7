import { randomUUID } from 'node:crypto';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { includesRole, type Role } from '../../../schemas/roles.ts';
import type { NewWebhook, Webhook, WebhookChange } from '../../../schemas/resources/webhook.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import { keysShowFrom } from '../../permissions.ts';
import { lockWebhook, type StoredWebhook, updateWebhook, type WebhookToInsert } from './sql.ts';

/** A new webhook as Postgres stores it. */
export function toInsert(vault: KeyVault, given: NewWebhook): WebhookToInsert {
  return {
    id: randomUUID(),
    name: given.name,
    url: given.url,
    headers: given.headers ?? {},
    metadata: given.metadata ?? {},
    secretSealed: sealed(vault, given.secret ?? null),
  };
}

/** A webhook as a caller with `role` may see it: headers and secret are only for editors and above. */
export function shownTo(role: Role | null, vault: KeyVault, webhook: StoredWebhook): Webhook {
  const { secretSealed, headers, failing_since, disabled_at, disabled_why, ...others } = webhook;
  const { missed_copies, missed_from, missed_to, ...alike } = others;
  const { thing_id, group_id, org_id, ...shown } = alike;
  const showsSecrets = role !== null && includesRole(role, keysShowFrom);
  return {
    ...shown,
    ...(thing_id === null ? {} : { thing_id }),
    ...(group_id === null ? {} : { group_id }),
    ...(org_id === null ? {} : { org_id }),
    ...(showsSecrets ? { headers } : {}),
    ...(secretSealed === null || !showsSecrets ? {} : { secret: vault.open(secretSealed) }),
    ...(failing_since === null ? {} : { failing_since: failing_since.toISOString() }),
    ...(disabled_at === null ? {} : { disabled_at: disabled_at.toISOString() }),
    ...(disabled_why === null ? {} : { disabled_why }),
    ...(missed_copies === 0 ? {} : { missed_copies }),
    ...(missed_from === null ? {} : { missed_from: missed_from.toISOString() }),
    ...(missed_to === null ? {} : { missed_to: missed_to.toISOString() }),
  };
}

/**
 * Sets what is given; `null` clears. An equal secret is no change, so that a client that writes back what it read does
 * not end the previous secret.
 *
 * @throws DomainError `not_found`
 */
export async function changeWebhook(
  db: Database,
  vault: KeyVault,
  id: string,
  { secret, headers, metadata, name, url, disabled }: WebhookChange,
): Promise<void> {
  await db.transaction(async (work) => {
    const { secretSealed } = present(await lockWebhook(work, id), 'webhook');
    const isSame = secretSealed !== null && vault.open(secretSealed) === secret;
    const change = {
      name,
      url,
      headers: headers === null ? {} : headers,
      metadata: metadata === null ? {} : metadata,
      secretSealed: secret === undefined || isSame ? undefined : sealed(vault, secret),
      disabled,
    };
    await updateWebhook(work, id, change, limits.previousSecretSeconds);
  });
}

function sealed(vault: KeyVault, secret: string | null): Buffer | null {
  return secret === null ? null : vault.seal(secret);
}
