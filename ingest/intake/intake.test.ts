import { createHash, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../infra/runtime/process/secrets.ts';
import { Guesses } from '../auth/guesses.ts';
import { Credential } from '../auth/credential.ts';
import { KeyJournal } from '../auth/journal/key-journal.ts';
import { parseSnapshot } from '../auth/journal/snapshot.ts';
import { KnownThing } from '../auth/known/known-things.ts';
import { OrgMeter, OrgMeters } from '../rates/org-meters.ts';
import { ThingRates } from '../rates/thing-rates.ts';
import { ThingKeys } from '../auth/thing-keys.ts';
import type { CachedThing } from '../../schemas/internal/thing-cache.ts';
import { Codec } from '../codecs/codec.ts';
import { nanoseconds } from '../codecs/line/precision.ts';
import { LineReader } from '../codecs/line/reader.ts';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { uuidFromRowBinary, uuidToRowBinary } from '../codecs/uuid.ts';
import { limits as codecLimits, publisher } from '../codecs/testing.ts';
import type { Log } from '../log/log.ts';
import { LogReader } from '../log/reader.ts';
import { appendTo, payloadOf } from '../log/testing/append.ts';
import { small, useLog } from '../log/testing/harness.ts';
import { limits } from '../limits.ts';
import { eventually } from '../../test/support/eventually.ts';
import { faultyDisk } from '../log/testing/faulty-disk.ts';
import type { Disk } from '../log/disk.ts';
import type { AwaitedMessage } from '../../schemas/internal/next-messages.ts';
import { AwaitedMessages } from './awaited-messages.ts';
import { GatheredMessages } from './gathered.ts';
import { Devices } from './gateways/devices.ts';
import { DeviceMaker } from './gateways/maker.ts';
import { Intake, type Source } from './intake.ts';
import type { ReadMessages } from './read-messages.ts';

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

const lookupOf = (key: string) => createHash('sha256').update(key).digest();
/** Of one group. */
const places = ['a1', 'b2', 'c3'].map((digits) => digits.repeat(16));

/** Knows devices by their external keys. Asked for no other: each test has its thing. */
function newKeys(devices: ReadonlyMap<string, CachedThing>): ThingKeys {
  const byLookup = new Map(
    [...devices].map(([key, thing]) => [
      lookupOf(key).toString('hex'),
      { kind: 'thing', thing } as const,
    ]),
  );
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
    lookup: (_kind, key) => lookupOf(key),
    load: () => Promise.resolve({ snapshot, things: byLookup }),
    redis: new Redis({ lazyConnect: true }),
    journal,
    guesses: new Guesses({ perMinuteMax: 10, networksMax: 10 }),
    deviceGuesses: new Guesses({ perMinuteMax: 10, networksMax: 10 }),
    meters: new OrgMeters(),
    limits: {
      knownMax: 10,
      knownBytesMax: 1e6,
      cachedBytesMax: 1e6,
      unknownMax: 10,
      unknownIdMs: 1e6,
      waitingMax: 10,
      perLoadMax: 10,
    },
    logger,
  });
}

/** An intake of one message a second for each thing, and a thing of an org with this quota of messages. */
async function openIntake(
  messagesPerMonth = 100,
  devices = new Map<string, CachedThing>(),
  disk?: Disk,
) {
  const log = await open(disk);
  const rates = new ThingRates(1, 10);
  const keys = newKeys(devices);
  const vault = createKeyVault(new Secret('secret of the test'.repeat(4)));
  const told: AwaitedMessage[] = [];
  const awaited = new AwaitedMessages((message) => void told.push(message));
  // It connects when it is first asked, which is never.
  const maker = new DeviceMaker({ pool: new Pool(), vault, limits, logger });
  const intake = new Intake({
    keys,
    devices: new Devices(keys, maker),
    guesses: new Guesses({ perMinuteMax: 10, networksMax: 10 }),
    unknownKeysPerMinuteMax: 10,
    rates,
    bodyBytesMax: 1_024,
    codec: new Codec(codecLimits),
    lines: new LineReader({ recordsMax: 1_000, nameCharsMax: 100, subtopicCharsMax: 254 }),
    awaited,
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
  const allowance = (of: Uint8Array = publisher) => rates.take(of, 0);
  return { log, intake, meter, thing, read, allowance, awaited, told };
}

/** Fills all groups, which are not written before the next turn of the event loop. */
function fill(log: Log): void {
  const text = 'x'.repeat(small.groupBytesMax / 2);
  while (appendTo(log, waiterOf('before'), payloadOf(text)) === 'appended');
}

function mustBeRead(read: ReturnType<Intake['read']>): ReadMessages {
  if (read.kind !== 'read') throw new Error('not read');
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

describe('a body of line protocol', () => {
  const lines = (of: string) => ({ bytes: Buffer.from(of), isGzip: false, precision: nanoseconds });
  const points = 'a,x=1 v=1,w=2 1\na,x=2 v=3 2\na,x=1 v=4 3';

  it('is one message and one frame with a row for each series, and is acknowledged once', async () => {
    const { log, intake, meter, thing } = await openIntake();
    const read = intake.readLines(thing, source, lines(points), nowMs);
    if (read.kind !== 'lines') throw new Error('not read');
    expect(intake.appendLines(read, waiterOf('it'))).toBeUndefined();
    await log.flushed();
    expect(acknowledged).toEqual(['it']);
    expect(meter).toMatchObject({ messages: 1, records: 4 });
    expect(log.stats()).toMatchObject({ committedMessages: 1, committedRecords: 4 });
    await log.close();
  });

  it('is not kept in part: with rows that do not fit a commit it costs no quota', async () => {
    const { log, intake, meter, thing } = await openIntake();
    const large = Array.from({ length: 70 }, (_, at) => `a,x=${at} v=1`).join('\n');
    const read = intake.readLines(thing, source, lines(large), nowMs);
    if (read.kind !== 'lines') throw new Error('not read');
    expect(intake.appendLines(read, waiterOf('it'))).toMatchObject({ code: 'too_large' });
    expect(meter).toMatchObject({ messages: 0, records: 0 });
    await log.close();
  });

  it('is let in by size, rate and quota, as each message is', async () => {
    const { log, intake, thing } = await openIntake();
    const read = (of: string) => intake.readLines(thing, source, lines(of), nowMs);
    expect(read(' '.repeat(1_025))).toMatchObject({ code: 'too_large' });
    expect(read(points)).toMatchObject({ kind: 'lines', records: 4 });
    expect(read(points)).toMatchObject({ code: 'too_many', detail: 'messages of this thing' });
    await log.close();
    const other = await openIntake(0);
    const refused = other.intake.readLines(other.thing, source, lines(points), nowMs);
    expect(refused).toMatchObject({ code: 'too_many', detail: 'the quota of messages of an org' });
    await other.log.close();
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

describe('the next message of a thing, for which somebody waits', () => {
  const id = uuidFromRowBinary(Buffer.from(publisher), 0);
  const lines = (of: string) => ({ bytes: Buffer.from(of), isGzip: false, precision: nanoseconds });
  const shown = {
    received_at: '2026-09-21T14:13:20.000Z',
    protocol: 'http',
    content_type: 'application/senml+json',
    bytes: body.length,
    encoding: 'text',
    body,
  };

  it('is told once it is on the disk, and no other', async () => {
    const { log, intake, read, awaited, told } = await openIntake();
    awaited.add(randomUUID());
    intake.append(mustBeRead(read(body)), waiterOf('before'));
    await log.flushed();
    expect([told, awaited.size]).toEqual([[], 1]);
    awaited.add(id);
    const others = new KnownThing();
    others.publisher.set(publisher.subarray(0, 15));
    const next = mustBeRead(intake.read(others, source, Buffer.from(body), nowMs));
    intake.append(next, waiterOf('of another'));
    expect(awaited.size).toBe(2);
    await log.close();
  });

  it('is told as it came, once it is on the disk', async () => {
    const { log, intake, read, awaited, told } = await openIntake();
    awaited.add(id);
    intake.append(mustBeRead(read(body)), waiterOf('it'));
    expect([told, awaited.size]).toEqual([[], 0]);
    await log.flushed();
    expect(acknowledged).toEqual(['it']);
    expect(told).toEqual([{ things: [id], message: { ...shown, accepted: true } }]);
    await log.close();
  });

  it('is told with the reason if it is refused: unread, for its rate, or for want of room', async () => {
    const unread = await openIntake();
    unread.awaited.add(id);
    unread.read('x');
    const { code, status } = { code: 'malformed', status: 400 };
    const error = expect.stringContaining('body: line 1, column 1');
    expect(unread.told).toMatchObject([
      { message: { body: 'x', accepted: false, refused: { code, status, error } } },
    ]);
    unread.awaited.add(id);
    unread.read(body);
    expect(unread.told[1]).toMatchObject({ message: { refused: { status: 429 } } });
    await unread.log.close();

    const full = await openIntake();
    full.awaited.add(id);
    const next = mustBeRead(full.read(body));
    fill(full.log);
    full.intake.append(next, waiterOf('it'));
    const refused = { code: 'unavailable', status: 503, error: expect.any(String) };
    expect(full.told).toMatchObject([{ message: { accepted: false, refused } }]);
    await full.log.close();
  });

  it('is refused if the disk fails', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const { log, intake, read, awaited, told } = await openIntake(100, new Map(), disk);
    awaited.add(id);
    disk.fault = 'failWrite';
    intake.append(mustBeRead(read(body)), waiterOf('it'));
    await log.flushed();
    const refused = { code: 'unavailable', status: 503, error: expect.stringContaining('disk') };
    expect(told).toMatchObject([{ message: { accepted: false, refused } }]);
    disk.fault = 'none';
    await log.close();
  });

  it('is waited for no longer than somebody may, by however many things', async () => {
    const brief = new AwaitedMessages(() => undefined, { awaitedMs: 1 });
    for (let one = 0; one < limits.awaitedThingsMax + 5; one++) brief.add(randomUUID());
    expect(brief.size).toBe(limits.awaitedThingsMax);
    await eventually(() => brief.size === 0);
  });

  it('is told at once where it is not stored, and is gathered with no other', async () => {
    const { log, thing, read, awaited, told } = await openIntake();
    const gathered = new GatheredMessages(10, codecLimits.nameCharsMax);
    awaited.add(id);
    expect(gathered.add(mustBeRead(read(body)))).toBe(false);
    await log.close();
    const other = await openIntake();
    other.awaited.add(id);
    Object.assign(other.thing, { config: { write: false } });
    mustBeRead(other.read(body));
    expect([told, thing.config, other.told]).toMatchObject([[], {}, [{ message: { body } }]]);
    await other.log.close();
  });

  it.each([
    ['bytes that are no text', Buffer.from([0x81, 0xff, 0]), 'base64', 'gf8A'],
    ['a long one, whose last character is cut', 'a'.repeat(65_535) + 'ä'.repeat(9), 'text', 'a'],
    ['a mark of the order of bytes', '\ufeff{}', 'text', '\ufeff{}'],
  ] as const)('shows %s', async (_, sent, encoding, begin) => {
    const { log, intake, thing, awaited, told } = await openIntake();
    awaited.add(id);
    const bytes = Buffer.from(sent);
    intake.read(thing, source, bytes, nowMs);
    expect(told).toMatchObject([{ message: { bytes: bytes.length, encoding, accepted: false } }]);
    const text = told[0]?.message.body ?? '';
    expect(text.startsWith(begin)).toBe(true);
    expect(text.length).toBe(encoding === 'text' ? Math.min(sent.length, 65_535) : 4);
    await log.close();
  });

  it('may be lines, of which some are refused', async () => {
    const { log, intake, thing, awaited, told } = await openIntake();
    awaited.add(id);
    const sent = 'a v=1\nb\n';
    const read = intake.readLines(thing, source, lines(sent), nowMs);
    if (read.kind !== 'lines') throw new Error('not read');
    intake.appendLines(read, waiterOf('it'));
    await log.flushed();
    const refused = { status: 400, error: expect.any(String) };
    const { message } = told[0] ?? {};
    expect(message).toMatchObject({ protocol: 'line', body: sent, accepted: true, refused });
    await log.close();
    const none = await openIntake();
    none.awaited.add(id);
    none.intake.readLines(none.thing, source, lines('b\n'), nowMs);
    expect(none.told).toMatchObject([{ message: { accepted: false, refused } }]);
    await none.log.close();
  });
});

describe('a message of a gateway', () => {
  const device = {
    id: randomUUID(),
    places,
    config: {},
    hasWebhooks: true,
    hasRules: false,
    isGateway: false,
  };
  const foreign = { ...device, id: randomUUID(), places: ['a1'.repeat(16), 'd4'.repeat(16)] };

  async function openGateway(config: ProfileConfig = {}) {
    const devices = new Map([
      ['device 7', { ...device, config }],
      ['device 9', foreign],
    ]);
    const opened = await openIntake(100, devices);
    const { intake, thing } = opened;
    thing.isGateway = true;
    thing.group = places[1] ?? '';
    thing.config = { gateway: { device_path: 'd.n', key_prefix: 'device ' } };
    const from: Source = { ...source, contentType: 'application/json' };
    const send = async (text: string) => {
      const sent = Buffer.from(text);
      const first = intake.read(thing, from, sent, nowMs);
      if (first.kind !== 'wanted') return first;
      await intake.findDevices(first, from);
      return intake.read(thing, from, sent, nowMs);
    };
    return { ...opened, send };
  }

  it('is that of the device that it names, and counts once for the rates of both', async () => {
    const { log, meter, send, allowance } = await openGateway();
    const sent = mustBeRead(await send('{"d":{"n":7},"v":1}'));
    const id = uuidToRowBinary(device.id);
    expect(sent).toMatchObject({ isOfDevice: true, records: 1, left: { remaining: 0 } });
    expect([sent.publisher, sent.forWebhooks?.publisher]).toEqual([id, id]);
    expect(meter.messages).toBe(0);
    expect(sent.meter).toMatchObject({ messages: 1, records: 1 });
    expect([allowance(), allowance(id)]).toEqual([undefined, undefined]);
    expect(await send('{"d":{"n":7},"v":2}')).toMatchObject({ code: 'too_many' });
    await log.close();
  });

  it('is the next message of the device, whether it is taken or refused, and none of the gateway', async () => {
    const { log, intake, send, awaited, told } = await openGateway();
    const own = uuidFromRowBinary(Buffer.from(publisher), 0);
    for (const id of [device.id, own]) awaited.add(id);
    const text = '{"d":{"n":7},"v":1}';
    intake.append(mustBeRead(await send(text)), waiterOf('it'));
    await log.flushed();
    expect(told).toMatchObject([{ things: [device.id], message: { body: text, accepted: true } }]);
    expect(awaited.size).toBe(1);
    await log.close();
    const other = await openGateway({ transformer: { data_field: 'absent' } });
    for (const id of [device.id, own]) other.awaited.add(id);
    await other.send(text);
    expect(other.told).toMatchObject([{ things: [device.id], message: { accepted: false } }]);
    await other.log.close();
  });

  it('is refused for a device that is absent, or of another group', async () => {
    for (const name of [8, 9]) {
      const { log, send, meter } = await openGateway();
      const refused = { code: 'forbidden', left: { remaining: 0 } };
      expect(await send(`{"d":{"n":${name}}}`)).toMatchObject(refused);
      expect(meter.messages).toBe(0);
      await log.close();
    }
  });

  it('that names none is its own', async () => {
    const { log, send } = await openGateway();
    const sent = mustBeRead(await send('{"d":{},"v":1}'));
    expect(sent).toMatchObject({ isOfDevice: false, forWebhooks: undefined });
    expect(sent.publisher).toEqual(publisher);
    await log.close();
  });
});
