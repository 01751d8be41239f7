import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

/** In headers as Node has them. */
export const requestIdHeader = 'x-request-id';

/** The characters of common ids: UUIDs, ULIDs, hex, base64, `Root=1-…`. No space, quote or line break. */
const sane = /^[\w.:=+/@-]{1,128}$/;

/** Distinguishes the ids of this run of the process from those of all others. */
const ofProcess = randomBytes(6).toString('hex');
let made = 0;

/** An id that no other request has. It needs a counter, and no random bytes. */
export function newRequestId(): string {
  made += 1;
  return `${ofProcess}-${made.toString(36)}`;
}

/** The id that a client gave its request, if it is well formed; or a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && sane.test(given) ? given : newRequestId();
}

const current = new AsyncLocalStorage<string>();

/** Everything that `work` causes, even later, belongs to the request with this id. */
export function withinRequest(id: string, work: () => void): void {
  current.run(id, work);
}

/** The id of the request that caused what runs now; none for the process's own work. */
export function currentRequestId(): string | undefined {
  return current.getStore();
}

/**
 * An id for a ClickHouse query of the current request. One request may have several queries, and a client may give
 * several requests one id; ClickHouse refuses two running queries with one id.
 */
export function newQueryId(): string {
  const id = currentRequestId();
  return id === undefined ? newRequestId() : `${id}-${newRequestId()}`;
}
