import { randomBytes } from 'node:crypto';

/** 128 random bits behind `01`, which keeps the number positive and its digits as many. */
export function createSerial(): string {
  return `01${randomBytes(16).toString('hex')}`;
}
