import { randomBytes } from 'node:crypto';

/** `01` and 128 random bits, which keeps the number positive and its digits as many. */
export function createSerial(): string {
  return `01${randomBytes(16).toString('hex')}`;
}
