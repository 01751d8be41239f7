import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { Sender } from '../../../test/webhooks/sender.ts';
import { atLeast, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { amount, rounds as ofRun } from '../../harness/load/durations.ts';

const webhooks = 10;
const messages = amount(40_000, 5_000);
const rounds = ofRun(5);
const connections = 64;
const lookEveryMs = 100;
const payload = JSON.stringify(
  Array.from({ length: 10 }, (_, at) => ({ n: `sensor-${at}`, u: 'Cel', v: 20.25 + at })),
);

/** Deliveries of one worker to a fast receiver on this machine, beside undici alone doing the same calls. */
export const webhookDeliveries: Scenario = async (bench) => {
  const receiver = await bench.startBare();
  const url = `${receiver.url}/http/messages`;
  const sender = await Sender.open(bench.system, bench.secretKey);
  const ids: string[] = [];
  for (let at = 0; at < webhooks; at++) {
    ids.push(await sender.webhook(url, { secret: 'a secret of the bench' }));
  }
  const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  try {
    await delivered(sender, ids, messages / 10);
    for (let round = 0; round < rounds; round++) {
      rates.bare.push(await bare(url));
      rates.ours.push(await delivered(sender, ids, messages));
    }
  } finally {
    await sender.close();
    await receiver.stop();
  }
  const ratios = rates.ours.map((ours, round) => ours / (rates.bare[round] ?? 0));
  return [
    info('deliveries', median(rates.ours), 'messages/s'),
    info('bare undici', median(rates.bare), 'requests/s'),
    atLeast('deliveries to bare undici, round by round', median(ratios), 'ratio', 0.5),
  ];
};

/** Messages per second, from a queue that has all of them at the start. */
async function delivered(sender: Sender, ids: string[], count: number): Promise<number> {
  await sender.queue.pause();
  const all = Array.from({ length: count }, (_, at) => ({
    webhook_ids: [ids[at % ids.length] ?? ''],
    payload,
  }));
  for (let at = 0; at < all.length; at += 1_024) {
    await sender.addBundles(await sender.keepBundles(all.slice(at, at + 1_024), 64));
  }
  const startedAt = performance.now();
  await sender.queue.resume();
  for (let left = count; left > 0; ) {
    await delay(lookEveryMs);
    const { waiting = 0, active = 0, delayed = 0 } = await sender.queue.getJobCounts();
    left = waiting + active + delayed;
  }
  return count / ((performance.now() - startedAt) / 1_000);
}

async function bare(url: string): Promise<number> {
  const agent = new Agent({ connections, pipelining: 1 });
  let left = messages;
  const startedAt = performance.now();
  const loops = Array.from({ length: connections }, async () => {
    while (left-- > 0) {
      const { body } = await request(url, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/senml+json' },
        body: payload,
      });
      await body.dump();
    }
  });
  await Promise.all(loops);
  const perSecond = messages / ((performance.now() - startedAt) / 1_000);
  await agent.close();
  return perSecond;
}
