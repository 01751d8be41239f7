import { expect, it } from 'vitest';
import { deliveriesOf } from './job-deliveries.ts';

const job = {
  bundle: { log: 'edge', segment: 3, first: 0, last: 128 },
  bytes: 100,
  messages: [
    { offset: 0, webhook_ids: ['a', 'b'] },
    { offset: 128, webhook_ids: ['b'] },
  ],
};

it('a job has a delivery for each webhook of each message, in a place of its own', () => {
  const read: number[] = [];
  const deliveries = deliveriesOf(job, (offset) => {
    read.push(offset);
    return undefined;
  });
  expect(deliveries).toMatchObject([
    { place: 0, webhookId: 'a', messageId: 'edge-3-0', offset: 0 },
    { place: 1, webhookId: 'b', messageId: 'edge-3-0', offset: 0 },
    { place: 2, webhookId: 'b', messageId: 'edge-3-128', offset: 128 },
  ]);
  expect(read).toEqual([]);
  void deliveries[2]?.read();
  expect(read).toEqual([128]);
});
