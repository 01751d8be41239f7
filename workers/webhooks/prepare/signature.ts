import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The key of a secret: of one in Standard Webhooks' form the bytes in base64, of any other its text. */
export function signingKey(secret: string): KeyObject {
  return secret.startsWith('whsec_')
    ? createSecretKey(secret.slice('whsec_'.length), 'base64')
    : createSecretKey(secret, 'utf8');
}

/** The header `webhook-signature`: a signature with each key, so that a receiver needs to know only one of them. */
export function signatures(
  keys: readonly KeyObject[],
  id: string,
  timestamp: string,
  payload: Buffer,
): string {
  return keys
    .map((key) => {
      const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(payload);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
}
