import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** In headers as Node has them. */
export const requestIdHeader = 'x-request-id';

/** What others make ids of: UUIDs, ULIDs, hex, base64, `Root=1-…`. No space, quote or line break. */
const sane = /^[\w.:=+/@-]{1,128}$/;

/** Tells the ids of this run of the process from those of all others. */
const ofProcess = randomBytes(6).toString('hex');
let made = 0;

/** An id that no other request has. It costs a count, not randomness. */
export function newRequestId(): string {
  made += 1;
  return `${ofProcess}-${made.toString(36)}`;
}

/** The id that a client gave its request, where it is a sane one; or a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && sane.test(given) ? given : newRequestId();
}

const current = new AsyncLocalStorage<string>();

/** All that `work` causes, however late, belongs to the request of this id. */
export function withinRequest(id: string, work: () => void): void {
  current.run(id, work);
}

/** The id of the request that caused what runs now; none for what the process does of itself. */
export function currentRequestId(): string | undefined {
  return current.getStore();
}

/**
 * A name for a query that the current request asks of ClickHouse. One request may ask several, and a client
 * may give several requests one id; two that run under one name would be refused.
 */
export function newQueryId(): string {
  const id = currentRequestId();
  return id === undefined ? newRequestId() : `${id}-${newRequestId()}`;
}
