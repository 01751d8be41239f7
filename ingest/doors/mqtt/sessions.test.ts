import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '../../limits.ts';
import { Outbox, type Outgoing } from './outbox.ts';
import { Sessions } from './sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function left(sessions: Sessions, thing: string, client: string, seconds: number) {
  const session = sessions.begin(thing, client);
  session.expirySeconds = seconds;
  sessions.leave(session);
  return session;
}

it('a session ends when its time without a connection is over', () => {
  const sessions = new Sessions();
  const session = left(sessions, 'a', 'x', 10);
  vi.advanceTimersByTime(9_999);
  expect(sessions.find('a', 'x')).toBe(session);
  sessions.resume(session);
  vi.advanceTimersByTime(20_000);
  expect(sessions.find('a', 'x')).toBe(session);
  sessions.leave(session);
  vi.advanceTimersByTime(10_000);
  expect([sessions.find('a', 'x'), sessions.size]).toEqual([undefined, 0]);
  left(sessions, 'a', 'y', 1);
  left(sessions, 'a', 'z', 0);
  expect(sessions.size).toBe(1);
  vi.advanceTimersByTime(1_000);
  sessions.sweep();
  expect(sessions.size).toBe(0);
});

it('a thing that leaves too many sessions loses the one that was left first', () => {
  const sessions = new Sessions();
  for (let at = 0; at <= limits.mqttSessionsPerThingMax; at++) left(sessions, 'a', `${at}`, 100);
  left(sessions, 'b', '0', 100);
  expect(sessions.find('a', '0')).toBeUndefined();
  expect(sessions.find('a', '1')).toBeDefined();
  expect(sessions.size).toBe(limits.mqttSessionsPerThingMax + 1);
});

it('a message that has expired is not sent any more', () => {
  const outbox = new Outbox();
  const sent: string[] = [];
  const writer = {
    hasRoom: true,
    publish: ({ topic }: Outgoing) => void sent.push(topic),
    pubrel: () => undefined,
  };
  const message = { payload: Buffer.of(1), qos: 1 as const, retain: false };
  outbox.add({ ...message, topic: 'short', expiresAtMs: Date.now() + 1_000 });
  outbox.add({ ...message, topic: 'long', expiresAtMs: Date.now() + 3_000 });
  vi.advanceTimersByTime(1_000);
  outbox.send(writer, 10);
  expect([sent, outbox.done(1), outbox.done(1), outbox.isEmpty]).toEqual([
    ['long'],
    true,
    false,
    true,
  ]);
});
