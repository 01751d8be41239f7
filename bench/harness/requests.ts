import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import type { Fleet } from '../../test/support/fleet.ts';

/** Numbers that look random and are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const names = 20;
/**
 * From one message of a publisher to its next: longer than any SenML pack lasts. Of SenML in JSON the load generator of
 * HTTP writes the time anew whenever it sends a message; others begin again after `requestsPerPublisher`.
 */
const secondsBetween = 300;
const requestsPerPublisher = 4;
const pieceChars = 2 ** 20;

/**
 * One SenML pack of `records` records, ten a second, as a device of ours would send it: some 73, 467 and 4,440
 * bytes for one, ten and a hundred of them.
 */
export function pack(
  random: () => number,
  publisher: number,
  records: number,
  second: number,
): string {
  const list = Array.from({ length: records }, (_, index) => ({
    ...(index === 0 ? { bn: `urn:dev:${publisher}:`, bt: second } : {}),
    n: `sensor${index % names}`,
    u: 'Cel',
    ...(index === 0 ? {} : { t: index / 10 }),
    v: Math.round(random() * 10_000) / 100,
  }));
  return JSON.stringify(list);
}

/** One message of a publisher, from this second on. */
type WriteMessage = (random: () => number, publisher: number, second: number) => string | Buffer;

/** Writes prepared messages of `records` records from these credentials. */
export function writeRequests(path: string, credentials: string[], records: number): void {
  writeMessages(path, credentials, 'application/senml+json', (random, publisher, second) =>
    pack(random, publisher, records, second),
  );
}

/** Writes prepared messages, a line each: credential, content type, body (in hex where it is no text). */
export function writeMessages(
  path: string,
  credentials: string[],
  contentType: string,
  write: WriteMessage,
  turns = requestsPerPublisher,
): void {
  const random = seededRandom(credentials.length);
  const start = Math.floor(Date.now() / 1_000) - turns * secondsBetween;
  const file = openSync(path, 'w');
  // In pieces: those of a million things are longer than a string may be.
  let piece = '';
  const flush = () => {
    writeSync(file, piece);
    piece = '';
  };
  for (let turn = 0; turn < turns; turn++) {
    for (const [publisher, credential] of credentials.entries()) {
      const message = write(random, publisher, start + turn * secondsBetween);
      const body = typeof message === 'string' ? message : message.toString('hex');
      piece += `${credential}\t${contentType}\t${body}\n`;
      if (piece.length > pieceChars) flush();
    }
  }
  flush();
  closeSync(file);
}

/** Credentials of so many things, created through the API. */
export async function createPublishers(
  fleet: Fleet,
  count: number,
  config: ProfileConfig = {},
): Promise<string[]> {
  const { profileId } = await fleet.thing(config);
  const credentials: string[] = [];
  for (let at = 0; at < count; at += 100) {
    const list = Array.from({ length: Math.min(100, count - at) }, () => ({
      name: randomUUID(),
      type: 'sensor',
    }));
    const things = await fleet.createThings(profileId, list);
    credentials.push(...things.map(({ key }) => `Thing ${key}`));
  }
  return credentials;
}
