import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { Sender } from './sender.ts';

let receiver: Receiver;
let sender: Sender;

beforeAll(async () => {
  receiver = await openReceiver();
  sender = await Sender.open(system());
});

afterAll(async () => {
  await sender.close();
  await receiver.close();
});

/** Does to a job what the queue does when its worker did not renew its lock: it is given to a worker again. */
async function loseLock(jobId: string): Promise<void> {
  const { queue, redis } = sender;
  await redis.del(`${queue.toKey(jobId)}:lock`);
  await redis.lrem(queue.toKey('active'), 1, jobId);
  await redis.rpush(queue.toKey('wait'), jobId);
  await redis.zadd(queue.toKey('marker'), 0, '0');
}

it('a delivery under way is not made a second time when the lock of its job runs out', async () => {
  const path = `/${randomUUID()}`;
  const held: ServerResponse[] = [];
  receiver.treat(path, (response) => held.push(response));
  const webhookId = await sender.webhook(receiver.url(path));
  const jobId = await sender.send(webhookId);
  await eventually(() => expect(held).toHaveLength(1));

  await loseLock(jobId);
  await eventually(async () => expect(await (await sender.job(jobId)).getState()).toBe('active'));
  held[0]?.end('taken');

  await eventually(async () =>
    expect(await (await sender.job(jobId)).getState()).toBe('completed'),
  );
  expect(receiver.at(path)).toHaveLength(1);
  expect(await sender.deliveries(webhookId)).toHaveLength(1);
});
