// oxlint-disable-next-line import/no-unassigned-import -- the library needs it to be loaded first
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';

/** All files import the library from here, after what it needs. */
export * from '@peculiar/x509';

/** `01` and 128 random bits: the number is positive, and always equally long. */
export function createSerial(): string {
  return `01${randomBytes(16).toString('hex')}`;
}
