import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { frameBytes, frameHeaderBytes, type Position, segmentName } from '../../../log/format.ts';
import type { Waiter } from '../../../log/group.ts';
import type { Log } from '../../../log/log.ts';
import { appendTo, payloadOf } from '../../../log/testing/append.ts';
import { type Fault, faultyDisk } from '../../../log/testing/faulty-disk.ts';
import { small, useLog } from '../../../log/testing/harness.ts';
import type { KeptSessions } from './kept-sessions.ts';
import { openSessions } from './open.ts';
import type { DurableSession } from './durable-session.ts';

const { directory, clear, open, put, readAll, segmentPaths } = useLog();

const thingId = '00000000-0000-4000-8000-000000000007';
const reader = 1;
const hour = 3_600;
const limits = {
  sessionsMax: 8,
  sessionsPerThingMax: 8,
  sessionSecondsMax: hour,
  idsPerSessionMax: 100,
  idsPerThingMax: 200,
  idsMax: 300,
};

const logged: { reason?: string; msg: string }[] = [];
const logger = pino(
  { level: 'warn' },
  { write: (line: string) => void logged.push(JSON.parse(line)) },
);

function openOf(log: Log, bounds = limits) {
  const { segmentBytes } = small;
  const windowBytes = segmentBytes;
  const options = { log, reader, segmentBytes, windowBytes, snapshotMs: 0, logger };
  return openSessions({ ...options, limits: bounds });
}

const owner = (client: string) => ({ thingId, clientId: client });
const terms = { expirySeconds: hour, subscriptions: [] };

/** A waiter, and what it was told. */
function told() {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const waiter: Waiter = { afterCommit: (isDurable) => resolve(isDurable) };
  return { waiter, promise };
}

async function begin(
  sessions: KeptSessions,
  client: string,
  asked = terms,
): Promise<DurableSession> {
  const { waiter, promise } = told();
  const session = sessions.begin(owner(client), asked, waiter);
  if (session.kind !== 'durable') throw new Error(session.kind);
  expect(await promise).toBe(true);
  return session;
}

/** Appends a message of this id as the intake does. */
function receive(log: Log, session: DurableSession, id: number, text: string) {
  const { waiter, promise } = told();
  const receiving = session.receive(id, waiter);
  if (receiving === undefined) return 'tooMany';
  const { frame } = receiving;
  const message = payloadOf(text);
  const payloads = [message];
  if (frame !== undefined) {
    const bytes = Buffer.from(frame);
    bytes[0] = 1;
    payloads.unshift({ format: 'session', records: 0, bytes });
  }
  const outcome = appendTo(log, receiving.waiter, ...payloads);
  if (outcome !== 'appended') receiving.takeBack();
  return outcome === 'appended' ? promise : outcome;
}

async function mustReceive(log: Log, session: DurableSession, id: number, text = `of ${id}`) {
  expect(await receive(log, session, id, text)).toBe(true);
}

async function release(session: DurableSession, id: number) {
  const { waiter, promise } = told();
  const outcome = session.release(id, waiter);
  return outcome === 'underWay' ? promise : outcome;
}

const look = (session: DurableSession | undefined, id: number) =>
  session?.state === 'open' ? session.ids.stateOf(id) : 'over';

const ascending = (one: number, other: number) => one - other;

/** The sessions of these clients that the next start finds. */
const found = (sessions: KeptSessions, clients: readonly string[]) =>
  Object.fromEntries(
    clients.flatMap((client) => {
      const ids = sessions.resume(owner(client), Date.now())?.ids.kept().toSorted(ascending);
      return ids === undefined ? [] : [[client, ids]];
    }),
  );

describe('the ids of a session', () => {
  it('are there after a restart, until they are released', async () => {
    const log = await open();
    const { sessions } = await openOf(log);
    const session = await begin(sessions, 'a');
    for (const id of [1, 2, 65_535]) await mustReceive(log, session, id);
    expect(await release(session, 2)).toBe(true);
    await log.close();
    const again = await open();
    const next = (await openOf(again)).sessions.resume(owner('a'), Date.now());
    expect([1, 2, 65_535].map((id) => look(next, id))).toEqual(['received', 'new', 'received']);
    await again.close();
  });

  it('are received and released with the commits of their frames, and not before', async () => {
    const log = await open();
    const { sessions } = await openOf(log);
    const session = await begin(sessions, 'a');
    const first = receive(log, session, 1, 'a');
    expect(look(session, 1)).toBe('receiving');
    expect(await release(session, 1)).toBe('early');
    expect(await first).toBe(true);
    expect(look(session, 1)).toBe('received');
    const released = release(session, 1);
    expect(look(session, 1)).toBe('releasing');
    const again = release(session, 1);
    expect(await Promise.all([released, again])).toEqual([true, true]);
    expect(await release(session, 1)).toBe('unknown');
    await log.close();
  });

  it('are new again where the disk did not take the message, and stay where it did not take the release', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    const { sessions } = await openOf(log);
    const session = await begin(sessions, 'a');
    await mustReceive(log, session, 1);
    disk.fault = 'failWrite';
    expect(await receive(log, session, 2, 'b')).toBe(false);
    disk.fault = 'none';
    while (!log.tryReserve(1)) await new Promise(setImmediate);
    disk.fault = 'failWrite';
    expect(await release(session, 1)).toBe(false);
    disk.fault = 'none';
    expect([1, 2].map((id) => look(session, id))).toEqual(['received', 'new']);
    await log.close();
  });

  it('are bounded, in a session, of a thing and in all', async () => {
    const log = await open();
    const bounds = { idsPerSessionMax: 2, idsPerThingMax: 3, idsMax: 4 };
    const { sessions } = await openOf(log, { ...limits, ...bounds });
    const [a, b] = [await begin(sessions, 'a'), await begin(sessions, 'b')];
    await mustReceive(log, a, 1);
    await mustReceive(log, a, 2);
    expect(await receive(log, a, 3, 'c')).toBe('tooMany');
    await mustReceive(log, b, 1);
    expect(await receive(log, b, 2, 'd')).toBe('tooMany');
    const { waiter } = told();
    const other = sessions.begin(
      { thingId: thingId.replace('7', '8'), clientId: 'a' },
      terms,
      waiter,
    );
    if (other.kind !== 'durable') throw new Error(other.kind);
    await mustReceive(log, other, 1);
    expect(await receive(log, other, 2, 'e')).toBe('tooMany');
    other.end(Date.now());
    await put(log, 'ended');
    await release(a, 1);
    await mustReceive(log, b, 2);
    expect(sessions.unreleased).toBe(3);
    a.end(Date.now());
    await log.flushed();
    await put(log, 'after it');
    expect(sessions.unreleased).toBe(2);
    await log.close();
  });

  it('of a session that is not kept go with its connection, and no frame has them', async () => {
    const log = await open();
    const { sessions } = await openOf(log);
    const session = await begin(sessions, 'a', { ...terms, expirySeconds: 0 });
    await mustReceive(log, session, 1);
    expect(look(session, 1)).toBe('received');
    expect((await readAll(log, 'session')).end).toEqual(log.positions.committed());
    expect(log.positions.endOf('session').offset).toBe(0);
    session.leave(Date.now());
    expect(sessions.unreleased).toBe(0);
    expect(look(session, 1)).toBe('over');
    await log.close();
  });
});

describe('a kept session', () => {
  it('is there with its subscriptions after a restart, until it expires', async () => {
    const log = await open();
    const { sessions } = await openOf(log);
    const subscriptions = [{ filter: 'things/ä/commands/#', options: 1 }];
    const session = await begin(sessions, 'a', { expirySeconds: 2 * hour, subscriptions: [] });
    expect(session.terms.expirySeconds).toBe(hour);
    const { waiter, promise } = told();
    session.change(60, subscriptions, waiter);
    expect(session.subscriptions()).toEqual([]);
    expect(await promise).toBe(true);
    await log.close();
    const again = await open();
    const restored = (await openOf(again)).sessions;
    const now = Date.now();
    const next = restored.resume(owner('a'), now);
    expect(next?.subscriptions()).toEqual(subscriptions);
    next?.leave(now);
    expect(restored.resume(owner('a'), now + 59_999)?.key).toBe(next?.key);
    next?.leave(now);
    expect(restored.resume(owner('a'), now + 60_000)).toBeUndefined();
    restored.endExpired(now + 60_000);
    await put(again, 'after it');
    expect(restored.size).toBe(0);
    await again.close();
  });

  it('that another one replaces is over, and a client learns of that one once it is on the disk', async () => {
    const log = await open();
    const { sessions } = await openOf(log);
    const former = await begin(sessions, 'a');
    await mustReceive(log, former, 1);
    const { waiter, promise } = told();
    const next = sessions.begin(owner('a'), terms, waiter);
    if (next.kind !== 'durable') throw new Error(next.kind);
    expect([look(former, 1), look(next, 1)]).toEqual(['over', 'new']);
    expect(sessions.resume(owner('a'), Date.now())).toBeUndefined();
    expect(await promise).toBe(true);
    expect(sessions.resume(owner('a'), Date.now())).toBe(next);
    expect(sessions.unreleased).toBe(0);
    await begin(sessions, 'a', { ...terms, expirySeconds: 0 });
    expect(sessions.size).toBe(0);
    await log.close();
    const again = await open();
    expect((await openOf(again)).sessions.size).toBe(0);
    await again.close();
  });

  it('goes on where its successor did not reach the disk', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    const { sessions } = await openOf(log);
    const session = await begin(sessions, 'a');
    await mustReceive(log, session, 1);
    disk.fault = 'failWrite';
    const { waiter, promise } = told();
    sessions.begin(owner('a'), terms, waiter);
    expect(await promise).toBe(false);
    expect(look(sessions.resume(owner('a'), Date.now()), 1)).toBe('received');
    disk.fault = 'none';
    await log.close();
  });

  it('gives way to a newer one of its thing, the one that was left longest ago first', async () => {
    const log = await open();
    const { sessions } = await openOf(log, { ...limits, sessionsPerThingMax: 2, sessionsMax: 3 });
    const [a, b] = [await begin(sessions, 'a'), await begin(sessions, 'b')];
    expect((await begin(sessions, 'c')).isKept).toBe(false);
    b.leave(1);
    a.leave(2);
    expect((await begin(sessions, 'c')).isKept).toBe(true);
    expect([a.state, b.state]).toEqual(['open', 'over']);
    const other = { thingId: thingId.replace('7', '8'), clientId: 'a' };
    const { waiter } = told();
    expect(sessions.begin(other, terms, waiter)).toMatchObject({ isKept: true });
    const third = { thingId: thingId.replace('7', '9'), clientId: 'a' };
    expect(sessions.begin(third, terms, waiter)).toMatchObject({ isKept: false });
    await log.close();
  });

  it.each([true, false])(
    'is exact in a snapshot while frames are under way (they fail: %s)',
    async (fail) => {
      const disk = faultyDisk(small.reserveBytes);
      const log = await open(disk);
      const { sessions, snapshots } = await openOf(log);
      const session = await begin(sessions, 'a');
      await mustReceive(log, session, 1);
      if (fail) disk.fault = 'failWrite';
      const underWay = [release(session, 1), receive(log, session, 2, 'b')];
      await Promise.all([...underWay, snapshots.write()]);
      await disk.abandon();
      const again = await open();
      expect(found((await openOf(again)).sessions, ['a'])).toEqual({ a: fail ? [1] : [2] });
      await again.close();
    },
  );

  it('keeps the segments that a start would need, until a snapshot has passed them', async () => {
    const log = await open();
    const { sessions, snapshots } = await openOf(log);
    const session = await begin(sessions, 'a');
    await mustReceive(log, session, 1);
    const { segment } = log.positions.committed();
    for (let time = 0; time < 20; time++) await put(log, `${time}${'x'.repeat(1_800)}`);
    log.positions.release(0, log.positions.committed().segment);
    await log.deletePassed();
    expect(await segmentPaths()).toContain(join(directory(), segmentName(segment)));
    await snapshots.write();
    await log.deletePassed();
    expect(await segmentPaths()).not.toContain(join(directory(), segmentName(segment)));
    await log.close();
    const again = await open();
    expect(found((await openOf(again)).sessions, ['a'])).toEqual({ a: [1] });
    await again.close();
  });
});

describe('sessions of which something is lost', () => {
  /** Each client then begins a new one: what it sends again may be stored twice, and nothing is taken for a repetition. */
  async function expectLost(reason: string) {
    logged.length = 0;
    const log = await open();
    const { sessions } = await openOf(log);
    expect(logged).toMatchObject([
      { reason, msg: 'the sessions of MQTT are lost: their clients begin new ones' },
    ]);
    expect([sessions.size, sessions.unreleased]).toEqual([0, 0]);
    const session = await begin(sessions, 'a');
    await mustReceive(log, session, 1);
    await log.close();
    logged.length = 0;
    const again = await open();
    expect(found((await openOf(again)).sessions, ['a'])).toEqual({ a: [1] });
    expect(logged).toEqual([]);
    await again.close();
  }

  async function leave() {
    const log = await open();
    const { sessions, snapshots } = await openOf(log);
    const session = await begin(sessions, 'a');
    await mustReceive(log, session, 1);
    await snapshots.write();
    await mustReceive(log, session, 2);
    await mustReceive(log, session, 3);
    const end = log.positions.committed();
    await log.close();
    return { end, snapshot: join(directory(), 'mqtt.sessions') };
  }

  it('have ended: the snapshot is missing', async () => {
    const { snapshot } = await leave();
    await fs.rm(snapshot);
    await expectLost('noSnapshot');
  });

  it('have ended: the snapshot is torn, or a byte of it is another', async () => {
    for (let part = 0; part < 1; part += 1 / 16) {
      for (const isTorn of [true, false]) {
        await clear();
        const { snapshot } = await leave();
        const bytes = await fs.readFile(snapshot);
        const at = Math.floor(bytes.length * part);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        await fs.writeFile(snapshot, isTorn ? bytes.subarray(0, at) : bytes);
        await expectLost('damagedSnapshot');
      }
    }
  });

  it('have ended: the log is damaged after the snapshot', async () => {
    const { end } = await leave();
    const path = join(directory(), segmentName(end.segment));
    const bytes = await fs.readFile(path);
    const inLastButOne = bytes.length - frameBytes(5) * 2;
    bytes[inLastButOne] = (bytes[inLastButOne] ?? 0) ^ 1;
    await fs.writeFile(path, bytes);
    await expectLost('damagedLog');
  });

  it('have ended: the segment of the snapshot is gone', async () => {
    const { end } = await leave();
    await fs.rm(join(directory(), segmentName(end.segment)));
    await expectLost('noSegment');
  });

  it('have ended: the log was taken away, or is another one', async () => {
    const { snapshot } = await leave();
    const kept = await fs.readFile(snapshot);
    for (const path of await segmentPaths()) await fs.rm(path);
    await fs.rm(join(directory(), 'log.marks'));
    // As of a log that is much further.
    await fs.writeFile(snapshot, kept);
    await fs.writeFile(join(directory(), 'log.id'), '5dc4f0a1-9e2b-4d80-8f0e-000000000000\n');
    await expectLost('otherLog');
  });
});

describe('whatever happens', () => {
  const clients = ['a', 'b', 'c'] as const;
  const client = fc.constantFrom(...clients);
  const id = fc.integer({ min: 1, max: 4 });
  const event = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('receive' as const), client, id }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), client, id }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), client }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('begin' as const), client }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), client }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), client }) },
  );
  const other = fc.oneof(
    fc.record({ kind: fc.constant('fill' as const) }),
    fc.record({ kind: fc.constant('snapshot' as const) }),
    fc.record({ kind: fc.constant('pass' as const) }),
    fc.record({ kind: fc.constant('crash' as const) }),
    fc.record({ kind: fc.constant('close' as const) }),
    fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom<Fault>('none', 'failWrite', 'tearWrite', 'failLate'),
    }),
  );
  type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

  /** The ids of each session as frames make them, and the messages that are stored. */
  class Model {
    readonly ids: Map<string, Set<number>>;
    readonly texts: string[];

    constructor(from?: Model) {
      this.ids = new Map([...(from?.ids ?? [])].map(([name, ids]) => [name, new Set(ids)]));
      this.texts = [...(from?.texts ?? [])];
    }

    get all() {
      return Object.fromEntries(
        clients.flatMap((name) => {
          const ids = this.ids.get(name);
          return ids === undefined ? [] : [[name, [...ids].toSorted(ascending)]];
        }),
      );
    }
  }

  /** A change of the model by frames: it holds once all of them are there. */
  type Change = (model: Model) => void;

  async function hasEnded(session: DurableSession): Promise<boolean> {
    while (session.state === 'ending') await new Promise(setImmediate);
    return session.state === 'over';
  }

  class World {
    log: Log;
    sessions: KeptSessions;
    snapshots: Awaited<ReturnType<typeof openOf>>['snapshots'];
    readonly handles = new Map<string, DurableSession>();
    texts = 0;

    constructor(log: Log, opened: Awaited<ReturnType<typeof openOf>>) {
      this.log = log;
      this.sessions = opened.sessions;
      this.snapshots = opened.snapshots;
    }

    /** Does it, as far as the log has room; gives what holds once it is committed. */
    start(one: Event, model: Model): { change: Change; done: Promise<boolean> } | undefined {
      const { sessions, log } = this;
      const { client: name } = one;
      const session = this.handles.get(name);
      if (one.kind === 'begin' || session === undefined || session.state !== 'open') {
        const { waiter, promise } = told();
        const begun = sessions.begin(owner(name), terms, waiter);
        if (begun.kind !== 'durable') return undefined;
        this.handles.set(name, begun);
        return { change: (to) => void to.ids.set(name, new Set()), done: promise };
      }
      switch (one.kind) {
        case 'receive': {
          const isKnown = model.ids.get(name)?.has(one.id) === true;
          if (look(session, one.id) !== (isKnown ? 'received' : 'new')) {
            throw new Error(`${name} has another state of ${one.id}`);
          }
          if (isKnown) return undefined;
          const text = `${this.texts++}`;
          const done = receive(log, session, one.id, text);
          if (!(done instanceof Promise)) return undefined;
          const change: Change = (to) => {
            to.ids.get(name)?.add(one.id);
            to.texts.push(text);
          };
          return { change, done };
        }
        case 'release': {
          const { waiter, promise } = told();
          if (session.release(one.id, waiter) !== 'underWay') return undefined;
          return { change: (to) => void to.ids.get(name)?.delete(one.id), done: promise };
        }
        case 'end':
          session.end(Date.now());
          if (session.state === 'open') return undefined;
          return { change: (to) => void to.ids.delete(name), done: hasEnded(session) };
        case 'change': {
          const { waiter, promise } = told();
          const outcome = session.change(hour, [{ filter: name, options: 1 }], waiter);
          if (outcome !== 'underWay') return undefined;
          return { change: () => undefined, done: promise };
        }
        case 'leave':
          session.leave(Date.now());
          session.join();
          return undefined;
        default:
          return one satisfies never;
      }
    }
  }

  it('the ids after a start are those of the frames before it, and each message is stored once', async () => {
    const steps = fc.array(
      fc.oneof({ weight: 5, arbitrary: event }, { weight: 2, arbitrary: other }),
      {
        maxLength: 60,
      },
    );
    const burst = fc.array(event, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, burst, fc.nat(10_000), async (all, last, cut) => {
        await clear();
        let disk = faultyDisk(small.reserveBytes);
        let log = await open(disk);
        let world = new World(log, await openOf(log));
        let model = new Model();
        const texts: string[] = [];
        let from: Position = { segment: 0, offset: 0 };
        /** Until there is room: of a log at its limit, segments go first. */
        const untilRoom = async () => {
          for (let turns = 1; !log.tryReserve(200); turns++) {
            if (turns % 100 === 0) {
              await world.snapshots.write();
              await pass();
            }
            await new Promise(setImmediate);
          }
        };
        const pass = async () => {
          await read();
          log.positions.release(0, from.segment);
          await log.deletePassed();
        };
        const read = async () => {
          const batch = await readAll(log, 'senml', from);
          expect(batch.damage).toEqual([]);
          texts.push(...batch.texts.filter((text) => !text.startsWith('x')));
          from = batch.end;
        };
        const restart = async (isCrash: boolean) => {
          disk.fault = 'none';
          await untilRoom();
          if (!isCrash) {
            await world.snapshots.close();
            await log.close();
          }
          await disk.abandon();
          disk = faultyDisk(small.reserveBytes);
          log = await open(disk);
          const { texts: counted } = world;
          world = new World(log, await openOf(log));
          world.texts = counted;
          expect(found(world.sessions, clients)).toEqual(model.all);
          for (const name of clients) {
            const session = world.sessions.resume(owner(name), Date.now());
            if (session !== undefined) world.handles.set(name, session);
          }
        };
        for (const one of all) {
          if (one.kind === 'fault') disk.fault = one.fault;
          else if (one.kind === 'fill') await put(log, `x${Math.random()}${'x'.repeat(1_500)}`);
          else if (one.kind === 'snapshot') await world.snapshots.write();
          else if (one.kind === 'pass') await pass();
          else if (one.kind === 'crash' || one.kind === 'close') {
            await restart(one.kind === 'crash');
          } else {
            // An end that fails holds in this process, and is tried again.
            if (one.kind === 'end') {
              disk.fault = 'none';
              await untilRoom();
            }
            const started = world.start(one, model);
            if ((await started?.done) === true) started?.change(model);
          }
          expect(found(world.sessions, clients)).toEqual(model.all);
        }
        disk.fault = 'none';
        await untilRoom();
        // Several events in one write, which is torn somewhere.
        const before = log.positions.committed();
        const changes: { payloadEnd: number; change: Change }[] = [];
        const pending: Promise<boolean>[] = [];
        const known = new Model(model);
        const seen = new Set<string>();
        for (const one of last) {
          // An event under way ends later: each client does one thing.
          if (seen.has(one.client)) continue;
          seen.add(one.client);
          const started = world.start(one, known);
          if (started === undefined) continue;
          pending.push(started.done);
          changes.push({ payloadEnd: 0, change: started.change });
        }
        await Promise.all(pending);
        const path = (segment: number) => join(directory(), segmentName(segment));
        const { segment } = log.positions.committed();
        const start = segment === before.segment ? before.offset : 0;
        const image = await fs.readFile(path(segment));
        // Where the frames of the burst end, the last one of each event.
        let offset = start;
        for (const change of changes) {
          for (let left = 1; left > 0; left--) {
            const payloadBytes = image.readUInt32LE(offset + 8);
            const isSession = image.readUInt16LE(offset + 6) === 4;
            if (isSession) left += image[offset + frameHeaderBytes] ?? 0;
            change.payloadEnd = offset + frameHeaderBytes + payloadBytes;
            offset += frameBytes(payloadBytes);
          }
        }
        const tornAt = start + (cut % (offset - start + 1));
        await disk.abandon();
        image.fill(0xaa, tornAt);
        await fs.writeFile(path(segment), image);
        model = new Model(model);
        for (const { payloadEnd, change } of changes) if (payloadEnd <= tornAt) change(model);
        disk = faultyDisk(small.reserveBytes);
        log = await open(disk);
        world = new World(log, await openOf(log));
        expect(found(world.sessions, clients)).toEqual(model.all);
        await read();
        expect(texts).toEqual(model.texts);
        await log.close();
        await disk.abandon();
      }),
      { numRuns: 100 },
    );
  });
});
