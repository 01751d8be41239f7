import type { KeyObject } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { whyReserved } from '../../../schemas/resources/webhook.ts';
import { signingKey } from './signature.ts';
import type { WebhookRow } from './sql.ts';

/** A webhook, as a delivery needs it. */
export type Webhook = {
  id: string;
  orgId: string;
  url: string;
  isDisabled: boolean;
  failingSince: Date | null;
  /** Undefined: it can't be called, because its URL is no HTTP URL, or its secret or its headers can't be opened. */
  endpoint: WebhookEndpoint | undefined;
};

/** Where its calls go, and what all of them carry. */
export type WebhookEndpoint = {
  origin: string;
  path: string;
  /** Names and values in turn. */
  headers: string[];
  keys: { key: KeyObject; untilMs: number }[];
};

const Headers = Type.Record(Type.String(), Type.String());

export function webhookOf(row: WebhookRow, vault: KeyVault): Webhook {
  return {
    id: row.id,
    orgId: row.org_id,
    url: row.url,
    isDisabled: row.disabled_at !== null,
    failingSince: row.failing_since,
    endpoint: endpointOf(row, vault),
  };
}

function endpointOf(row: WebhookRow, vault: KeyVault): WebhookEndpoint | undefined {
  const url = URL.parse(row.url);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  try {
    const own = Object.entries(headersOf(row, vault));
    return {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      headers: own.filter(([name]) => whyReserved(name) === undefined).flat(),
      keys: keysOf(row, vault),
    };
  } catch {
    return undefined;
  }
}

/** @throws when they were sealed under another key, or are no texts. */
function headersOf(row: WebhookRow, vault: KeyVault): Record<string, string> {
  const { headers_sealed: sealed } = row;
  return sealed === null ? {} : Value.Parse(Headers, JSON.parse(vault.open(sealed)));
}

/** @throws when a secret was sealed under another key. */
function keysOf(row: WebhookRow, vault: KeyVault): WebhookEndpoint['keys'] {
  const open = (sealed: Buffer, untilMs: number) => ({
    key: signingKey(vault.open(sealed)),
    untilMs,
  });
  const keys: WebhookEndpoint['keys'] = [];
  if (row.secret_sealed !== null) keys.push(open(row.secret_sealed, Number.POSITIVE_INFINITY));
  if (row.previous_secret_sealed !== null && row.previous_secret_until !== null) {
    keys.push(open(row.previous_secret_sealed, row.previous_secret_until.getTime()));
  }
  return keys;
}
