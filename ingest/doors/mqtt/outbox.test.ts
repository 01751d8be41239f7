import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Outbox, type Outgoing } from './outbox.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
  expect([sent, outbox.done(1)?.topic, outbox.done(1), outbox.isEmpty]).toEqual([
    ['long'],
    'long',
    undefined,
    true,
  ]);
});
