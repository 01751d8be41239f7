import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import { reservedHeaders } from '../../../schemas/resources/webhook.ts';
import { targetAgeMsMax, targetsMax } from '../limits.ts';
import { readPatiently } from '../prepare/retry-until-back.ts';
import { signingKey } from './signature.ts';
import { findWebhooks, type WebhookRow } from '../record/sql.ts';

/** What a webhook says about its calls. */
export type Target = {
  webhookId: string;
  orgId: string;
  url: string;
  disabled: boolean;
  failingSince: Date | null;
  /** Undefined: it can't be called, because what is stored is no HTTP URL, or can't be opened. */
  call: TargetCall | undefined;
};

export type TargetCall = {
  origin: string;
  path: string;
  /** Names and values in turn. */
  headers: string[];
  keys: { key: KeyObject; untilMs: number }[];
};

export type Targets = {
  /** The webhook as it is now, or was half a second ago; undefined when there is none. */
  find(webhookId: string): Target | undefined | Promise<Target | undefined>;
  /** Have it read anew. */
  forget(webhookId: string): void;
};

const idsAtOnceMax = 1_000;

/** What the payload and the worker decide goes before what a webhook says. */
const headersOfOurs = new Set([...reservedHeaders, 'content-type']);
const Headers = Type.Record(Type.String(), Type.String());

/**
 * Reads webhooks, many at a time, and remembers them for a moment. While Postgres is away, who asks waits
 * until it is back or `signal` says to stop.
 */
export function createTargets(
  { pool, vault }: { pool: Pool; vault: KeyVault },
  log: Logger,
  signal: AbortSignal,
): Targets {
  const known = new LRUCache<string, { target: Target | undefined }>({
    max: targetsMax,
    ttl: targetAgeMsMax,
  });
  let wanted = new Map<string, PromiseWithResolvers<Target | undefined>>();
  let reading = false;

  async function readWanted(): Promise<void> {
    while (wanted.size > 0) {
      const batch = [...wanted].slice(0, idsAtOnceMax);
      wanted = new Map([...wanted].slice(idsAtOnceMax));
      const ids = batch.map(([id]) => id);
      const rows = await readPatiently(() => findWebhooks(pool, ids), log, signal);
      const targets = new Map(rows?.map((row) => [row.id, targetOf(row, vault)]));
      for (const [id, { resolve, reject }] of batch) {
        if (rows === undefined) {
          reject(new Error('stopped before the webhook was read'));
          continue;
        }
        const target = targets.get(id);
        known.set(id, { target });
        resolve(target);
      }
    }
    reading = false;
  }

  return {
    find(webhookId) {
      const found = known.get(webhookId);
      if (found !== undefined) return found.target;
      const asked = wanted.get(webhookId) ?? Promise.withResolvers<Target | undefined>();
      wanted.set(webhookId, asked);
      if (!reading) {
        reading = true;
        // Who asks in the same turn is read in the same query.
        setImmediate(() => void readWanted());
      }
      return asked.promise;
    },
    forget: (webhookId) => void known.delete(webhookId),
  };
}

function targetOf(row: WebhookRow, vault: KeyVault): Target {
  return {
    webhookId: row.id,
    orgId: row.org_id,
    url: row.url,
    disabled: row.disabled_at !== null,
    failingSince: row.failing_since,
    call: callOf(row, vault),
  };
}

function callOf(row: WebhookRow, vault: KeyVault): TargetCall | undefined {
  const url = URL.parse(row.url);
  if (url === null || !/^https?:$/.test(url.protocol) || !Value.Check(Headers, row.headers)) {
    return undefined;
  }
  const own = Object.entries(row.headers).filter(([name]) => {
    return !headersOfOurs.has(name.toLowerCase());
  });
  try {
    const hasLogin = own.some(([name]) => name.toLowerCase() === 'authorization');
    return {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      headers: [...own, ...(hasLogin ? [] : loginOf(url))].flat(),
      keys: keysOf(row, vault),
    };
  } catch {
    return undefined;
  }
}

/** A user in the URL logs in, unless a header does. */
function loginOf({ username, password }: URL): [string, string][] {
  if (username === '' && password === '') return [];
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return [['authorization', `Basic ${Buffer.from(login).toString('base64')}`]];
}

/** @throws when a secret was sealed under another key. */
function keysOf(row: WebhookRow, vault: KeyVault): TargetCall['keys'] {
  const open = (sealed: Buffer, untilMs: number) => ({
    key: signingKey(vault.open(sealed)),
    untilMs,
  });
  const keys: TargetCall['keys'] = [];
  if (row.secret_sealed !== null) keys.push(open(row.secret_sealed, Number.POSITIVE_INFINITY));
  if (row.previous_secret_sealed !== null && row.previous_secret_until !== null) {
    keys.push(open(row.previous_secret_sealed, row.previous_secret_until.getTime()));
  }
  return keys;
}
