import type { Millrace, Requests } from '../../../schemas/client/client.ts';
import { thingCredential } from '../../../schemas/client/credential.ts';
import type { Registered } from './register.ts';
import type { Signal, Value } from './site.ts';

const monthSeconds = 30 * 86_400;
const packSize = 200;
const pageRows = 1_000;

/** A record of the demo. */
export type SentRecord = { name: string; unit: string | undefined; seconds: number; value: Value };

/** The records that a thing measured from after one time up to another, at the times at which it measures. */
function recordsOf(signals: readonly Signal[], after: number, upTo: number): SentRecord[] {
  return signals
    .flatMap(({ name, unit, everySeconds, at }) => {
      const records: SentRecord[] = [];
      const first = (Math.floor(after / everySeconds) + 1) * everySeconds;
      for (let seconds = first; seconds <= upTo; seconds += everySeconds) {
        const value = at(seconds);
        if (value !== undefined) records.push({ name, unit, seconds, value });
      }
      return records;
    })
    .toSorted((one, other) => one.seconds - other.seconds);
}

/** The month of a thing, or what is missing of it since an earlier run. Nothing of one that is silent. */
export async function missingOf(
  client: Millrace,
  thing: Registered,
  now: number,
): Promise<SentRecord[]> {
  const [newest] = (await page(client, { publisher: thing.id, limit: 1 })).messages;
  if (newest !== undefined && thing.silentSeconds !== undefined) return [];
  const after = newest?.time ?? now - monthSeconds;
  return recordsOf(thing.signals, after, now - (thing.silentSeconds ?? 0));
}

/** Sends records in packs; `sent` is told how many were acknowledged, and how long that took. */
export async function send(
  client: Millrace,
  { key }: Registered,
  records: readonly SentRecord[],
  acknowledged: (count: number, ms: number) => void,
): Promise<void> {
  for (let at = 0; at < records.length; at += packSize) {
    const part = records.slice(at, at + packSize);
    const pack = part.map(({ name, unit, seconds, value }) => ({
      n: name,
      ...(unit === undefined ? {} : { u: unit }),
      t: seconds,
      ...(typeof value === 'number'
        ? { v: value }
        : typeof value === 'boolean'
          ? { vb: value }
          : { vs: value }),
    }));
    const beganMs = performance.now();
    await client.send(thingCredential('internal', key), JSON.stringify(pack));
    acknowledged(part.length, performance.now() - beganMs);
  }
}

const keyOf = (name: string, seconds: number, value: Value | undefined) =>
  `${name} ${seconds} ${String(value)}`;

/** Counts those of these records that are read back as they were sent. */
export async function countEqual(
  client: Millrace,
  { id }: Registered,
  records: readonly SentRecord[],
): Promise<number> {
  const read = new Set<string>();
  for (let offset = 0; ; offset += pageRows) {
    const query = { publisher: id, dir: 'asc', limit: pageRows, offset } as const;
    const { messages, total } = await page(client, query);
    for (const { name, time, value, bool_value, string_value } of messages) {
      read.add(keyOf(name ?? '', time, value ?? bool_value ?? string_value));
    }
    if (offset + messages.length >= total || messages.length === 0) break;
  }
  return records.filter(({ name, seconds, value }) => read.has(keyOf(name, seconds, value))).length;
}

/** How many records of a thing are stored. */
export async function storedCount(client: Millrace, publisher: string): Promise<number> {
  return (await page(client, { publisher, limit: 1 })).total;
}

function page(client: Millrace, query: NonNullable<Requests['readMessages_senml']['query']>) {
  return client.call('readMessages_senml', { query });
}
