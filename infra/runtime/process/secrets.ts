import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from './config.ts';

/** The two ways a thing can name itself: its generated key, or the key of an external system. */
export type KeyKind = 'internal' | 'external';

/** Thing keys at rest: sealed for those who may read them, and an HMAC to look them up by. */
export type KeyVault = {
  /** 32 bytes that represent a key in Postgres, Redis and notices. A thief cannot use them. */
  lookup: (kind: KeyKind, key: string) => Buffer;
  /** AES-256-GCM: 12 bytes nonce, 16 bytes tag, then the cipher text. */
  seal(key: string): Buffer;
  /** @throws when the bytes were not sealed under this secret. */
  open(sealed: Buffer): string;
};

const nonceBytes = 12;
const tagBytes = 16;

/** Makes the vault from `SECRET_KEY`. The two inner keys are derived, so neither reveals the other. */
export function createKeyVault(secret: Secret): KeyVault {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret.reveal(), '', `millrace ${purpose}`, 32));
  const lookupKey = derive('key lookup');
  const sealingKey = derive('key sealing');

  return {
    lookup: (kind, key) => createHmac('sha256', lookupKey).update(`${kind}\0${key}`).digest(),
    seal(key) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      const nonce = sealed.subarray(0, nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, nonce);
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      const text = decipher.update(sealed.subarray(nonceBytes + tagBytes));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
  };
}
