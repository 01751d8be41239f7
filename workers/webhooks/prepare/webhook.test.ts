import { describe, expect, it } from 'vitest';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { WebhookRow } from './sql.ts';
import { webhookOf } from './webhook.ts';

const vault = createKeyVault(new Secret('a secret key of some length'));
const row: WebhookRow = {
  id: 'webhook',
  org_id: 'org',
  url: 'https://receiver.example:8443/path?query=1',
  headers_sealed: null,
  secret_sealed: null,
  previous_secret_sealed: null,
  previous_secret_until: null,
  failing_since: null,
  disabled_at: null,
};

describe('a webhook', () => {
  it('is called at its origin and path, with its own headers', () => {
    const headers = { 'X-Own': 'own', 'Content-Type': 'text/html', 'WEBHOOK-ID': 'mine' };
    const headers_sealed = vault.seal(JSON.stringify(headers));
    expect(webhookOf({ ...row, headers_sealed }, vault).endpoint).toEqual({
      origin: 'https://receiver.example:8443',
      path: '/path?query=1',
      headers: ['X-Own', 'own'],
      keys: [],
    });
  });

  it('may have no headers', () => {
    expect(webhookOf(row, vault).endpoint?.headers).toEqual([]);
  });

  it('signs with its secret, and with the former one until its time', () => {
    const until = new Date(1_000);
    const { endpoint } = webhookOf(
      {
        ...row,
        secret_sealed: vault.seal('new'),
        previous_secret_sealed: vault.seal('former'),
        previous_secret_until: until,
      },
      vault,
    );
    expect(endpoint?.keys.map(({ untilMs }) => untilMs)).toEqual([Number.POSITIVE_INFINITY, 1_000]);
  });

  it.each([
    ['no URL', { url: 'nowhere' }],
    ['a URL of another protocol', { url: 'ftp://receiver.example/' }],
    ['headers that are no texts', { headers_sealed: vault.seal('{"X-Own":1}') }],
    ['headers that were sealed under another key', { headers_sealed: Buffer.alloc(40) }],
    ['a secret that was sealed under another key', { secret_sealed: Buffer.alloc(40) }],
  ])('is never called with %s', (_, fields) => {
    expect(webhookOf({ ...row, ...fields }, vault).endpoint).toBeUndefined();
  });
});
