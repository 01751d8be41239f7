import { createHash, randomBytes } from 'node:crypto';

/** Tells a key from a token, and secret scanners what it is. */
const prefix = 'mrk_';

/** 256 random bits. */
export function createApiKey(): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function isApiKey(credential: string): boolean {
  return credential.startsWith(prefix);
}

/** The hash of a key, which is stored. A key can't be guessed, so it needs no slow hash. */
export function hashApiKey(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
