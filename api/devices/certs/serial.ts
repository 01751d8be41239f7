import { randomBytes } from 'node:crypto';

/** `01` and 128 random bits: the number is positive, and always equally long. */
export function createSerial(): string {
  return `01${randomBytes(16).toString('hex')}`;
}
