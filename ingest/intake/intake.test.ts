import { Redis } from 'ioredis';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { Guesses } from '../auth/guesses.ts';
import { Credential } from '../auth/credential.ts';
import { KeyJournal } from '../auth/journal/key-journal.ts';
import { parseSnapshot } from '../auth/journal/snapshot.ts';
import { KnownThing } from '../auth/known/known-things.ts';
import { OrgMeter, OrgMeters } from '../rates/org-meters.ts';
import { ThingRates } from '../rates/thing-rates.ts';
import { ThingKeys } from '../auth/thing-keys.ts';
import { Codec } from '../codecs/codec.ts';
import { LineReader } from '../codecs/line/reader.ts';
import { limits as codecLimits, publisher } from '../codecs/testing.ts';
import type { Log } from '../log/log.ts';
import { LogReader } from '../log/reader.ts';
import { appendTo, payloadOf } from '../log/testing/append.ts';
import { small, useLog } from '../log/testing/harness.ts';
import { GatheredMessages } from './gathered.ts';
import { Intake, type Source } from './intake.ts';
import type { ReadMessages } from './read-messages.ts';
import type { Refusal } from './refusal.ts';

const { open, waiterOf, acknowledged } = useLog();
const logger = pino({ level: 'silent' });
const nowMs = 1_790_000_000_000;

const source: Source = {
  credential: new Credential('internal', 'key'),
  way: 0,
  network: () => '192.0.2.1',
  protocol: 'http',
  contentType: 'application/senml+json',
  subtopic: '',
  requestId: 'id',
};

/** Never asked: each test has its thing. */
function newKeys(): ThingKeys {
  const never = 1e9;
  const snapshot = parseSnapshot('1:1:');
  const journal = new KeyJournal({
    load: () => Promise.resolve({ snapshot, changes: [], end: undefined }),
    times: {
      pollMs: never,
      restAfterMs: never,
      restMs: never,
      freshMsMax: never,
      gapMsMax: never,
      rememberMs: never,
    },
    logger,
    onChange: () => undefined,
    onGap: () => undefined,
  });
  return new ThingKeys({
    lookup: () => Buffer.alloc(32),
    load: () => Promise.resolve({ snapshot, things: new Map() }),
    redis: new Redis({ lazyConnect: true }),
    journal,
    guesses: new Guesses({ perMinuteMax: 10, networksMax: 10 }),
    meters: new OrgMeters(),
    limits: {
      knownMax: 10,
      knownBytesMax: 1e6,
      cachedBytesMax: 1e6,
      unknownMax: 10,
      waitingMax: 10,
      perLoadMax: 10,
    },
    logger,
  });
}

/** An intake of one message a second for each thing, and a thing of an org with this quota of messages. */
async function openIntake(messagesPerMonth = 100) {
  const log = await open();
  const rates = new ThingRates(1, 10);
  const intake = new Intake({
    keys: newKeys(),
    guesses: new Guesses({ perMinuteMax: 10, networksMax: 10 }),
    unknownKeysPerMinuteMax: 10,
    rates,
    bodyBytesMax: 1_024,
    codec: new Codec(codecLimits),
    lines: new LineReader({ recordsMax: 1_000, nameCharsMax: 100, subtopicCharsMax: 254 }),
    log,
    logger,
  });
  const meter = new OrgMeter('org');
  const totals = { id: 'org', messages: 0, records: 0, monthEndsMs: Date.now() + 1e9 };
  const quota = { messagesPerMonth, recordsPerSecond: undefined };
  meter.learn({ ...totals, ...quota }, { id: 'org', messages: 0, records: 0 });
  const thing = new KnownThing();
  thing.publisher.set(publisher);
  thing.meter = meter;
  const read = (body: string) => intake.read(thing, source, Buffer.from(body), nowMs);
  return { log, intake, meter, thing, read, allowance: () => rates.take(publisher, 0) };
}

/** Fills all groups, which are not written before the next turn of the event loop. */
function fill(log: Log): void {
  const text = 'x'.repeat(small.groupBytesMax / 2);
  while (appendTo(log, waiterOf('before'), payloadOf(text)) === 'appended');
}

function mustBeRead(read: ReadMessages | Refusal): ReadMessages {
  if (read.kind === 'refused') throw new Error(read.detail);
  return read;
}

const body = '[{"n":"a","v":1},{"n":"b","v":2}]';

describe('a message that is taken', () => {
  it('is acknowledged once it is on the disk, and counted once', async () => {
    const { log, intake, meter, read } = await openIntake();
    expect(intake.append(mustBeRead(read(body)), waiterOf('it'))).toBeUndefined();
    expect(acknowledged).toEqual([]);
    await log.flushed();
    expect(acknowledged).toEqual(['it']);
    expect(meter).toMatchObject({ messages: 1, records: 2 });
    await log.close();
  });
});

it('a frame of its session comes before those of a message, and says how many of them follow', async () => {
  const { log, intake, read } = await openIntake();
  const session = Buffer.from('\0session');
  intake.append(mustBeRead(read(body)), waiterOf('stored'), session);
  await log.flushed();
  const formats = ['session', 'senml'] as const;
  const reader = new LogReader({
    directory: log.directory,
    formats,
    segmentBytes: small.segmentBytes,
    committed: log.positions.committed,
    onDamage: async () => undefined,
  });
  const batch = await reader.read({ segment: 0, offset: 0 }, { bytesMax: 4_096, framesMax: 9 });
  expect(batch?.formats).toEqual(formats);
  expect(batch?.body.subarray(0, batch.ends[0]).toString()).toBe('\u0001session');
  expect(log.stats()).toMatchObject({ committedMessages: 1, committedRecords: 2 });
  await log.close();
});

describe('a message that is refused', () => {
  it('for want of room in the log costs neither rate nor quota', async () => {
    const { log, meter, read, allowance } = await openIntake();
    fill(log);
    for (let time = 0; time < 3; time++) {
      expect(read(body)).toMatchObject({ code: 'unavailable', retrySeconds: 1 });
    }
    expect(allowance()).toBeDefined();
    expect(meter.messages).toBe(0);
    await log.close();
  });

  it('over the quota of its org, or its size, costs its thing no rate', async () => {
    const { log, read, allowance } = await openIntake(0);
    expect(read(body)).toMatchObject({
      code: 'too_many',
      detail: 'the quota of messages of an org',
      left: { remaining: 0 },
    });
    expect(read(`${body}${' '.repeat(1_024)}`)).toMatchObject({ code: 'too_large' });
    expect(allowance()).toBeDefined();
    await log.close();
  });

  it('because it can not be read costs rate, and no quota', async () => {
    const { log, meter, read } = await openIntake();
    expect(read('x')).toMatchObject({ code: 'malformed', left: { remaining: 0 } });
    expect(read(body)).toMatchObject({ code: 'too_many', detail: 'messages of this thing' });
    expect(meter.messages).toBe(0);
    await log.close();
  });

  it('because its records do not fit a commit costs no quota', async () => {
    const { log, intake, meter, read } = await openIntake();
    const records = Array.from({ length: 40 }, () => '{"v":1}').join(',');
    const large = mustBeRead(read(`[{"bn":"${'x'.repeat(100)}","v":1},${records}]`));
    expect(meter.messages).toBe(1);
    expect(intake.append(large, waiterOf('it'))).toMatchObject({ code: 'too_large' });
    expect(meter).toMatchObject({ messages: 0, records: 0 });
    await log.close();
  });
});

it('messages that are gathered hold the quota for the next one, and give it back if they are not kept', async () => {
  const { log, intake, meter, thing } = await openIntake(2);
  const gathered = new GatheredMessages(10, codecLimits.nameCharsMax);
  const others = new KnownThing();
  others.publisher.fill(7);
  others.meter = meter;
  for (const one of [thing, others]) {
    gathered.add(mustBeRead(intake.read(one, source, Buffer.from(body), nowMs)));
  }
  expect(intake.read(others, source, Buffer.from(body), nowMs)).toMatchObject({ code: 'too_many' });
  fill(log);
  expect(intake.append(gathered.all, waiterOf('both'))).toMatchObject({ code: 'unavailable' });
  expect(meter).toMatchObject({ messages: 0, records: 0 });
  await log.close();
});
