import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { ownHeaders } from '../../../schemas/resources/webhook.ts';
import { limits } from '../../limits.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { sealedHeaders } from './webhook.ts';

/** A webhook from before headers were sealed. */
type Unsealed = { id: string; url: string; headers: Record<string, string> };

/**
 * Seals the headers of webhooks from before they were sealed. A user and a password in their URL become a header, and
 * headers that were never sent go. Several processes may do it at once.
 */
export async function sealHeaders(db: Database, vault: KeyVault): Promise<void> {
  let sealed = 0;
  do {
    sealed = await db.transaction((work) => sealSome(work, vault));
  } while (sealed > 0);
}

/** Seals some, and gives their number. Uses `webhooks_unsealed`. */
async function sealSome(work: Statements, vault: KeyVault): Promise<number> {
  const found = await work.rows<Unsealed>(
    'SELECT id, url, headers FROM webhooks WHERE headers IS NOT NULL ORDER BY id LIMIT $1 FOR UPDATE',
    [limits.webhooksSealedAtOnce],
  );
  // It is no change of a webhook that anyone has made: no entry of the audit log is of this kind.
  await work.rows("SELECT set_config('millrace.author', $1, true)", ['{"kind":"sealing"}']);
  const plain = found.map((one) => ({ id: one.id, ...withoutLogin(one) }));
  await work.rows(
    `UPDATE webhooks SET headers = NULL, headers_sealed = made.sealed, url = made.url
     FROM unnest($1::uuid[], $2::bytea[], $3::text[]) AS made (id, sealed, url)
     WHERE webhooks.id = made.id`,
    [
      plain.map(({ id }) => id),
      plain.map(({ headers }) => sealedHeaders(vault, headers)),
      plain.map(({ url }) => url),
    ],
  );
  return found.length;
}

/** Moves the login of the URL into the header `Authorization`, unless there is one; leaves reserved headers out. */
export function withoutLogin({ url: text, headers }: Omit<Unsealed, 'id'>): Omit<Unsealed, 'id'> {
  const own = Object.entries(ownHeaders(headers));
  const url = URL.parse(text);
  if (url === null || (url.username === '' && url.password === ''))
    return { url: text, headers: Object.fromEntries(own) };
  const login = `${decoded(url.username)}:${decoded(url.password)}`;
  const hasLogin = own.some(([name]) => name.toLowerCase() === 'authorization');
  if (!hasLogin) own.push(['Authorization', `Basic ${Buffer.from(login).toString('base64')}`]);
  url.username = '';
  url.password = '';
  return { url: url.href, headers: Object.fromEntries(own) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
