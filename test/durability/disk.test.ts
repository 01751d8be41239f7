import { on } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Fault } from '../support/fixtures/edge-faulty.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { judge, type Numbered, sendNumbered } from '../support/messages/numbered.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { system } from '../support/system.ts';

const segmentBytes = 64 * 1024 ** 2;
const segmentsMax = 4;
const bodyBytesMax = 4 * 1024 ** 2;
/** What fills a log quickly, and to the brim. */
const bodies = [2_500_000, 50_000, 1].map((chars) =>
  JSON.stringify([{ n: 'filler', vs: 'x'.repeat(chars) }]),
);
/** A new segment takes less: a log that is refusing for this long is full. */
const refusingMs = 1_000;
const connections = 4;
const nothingWrong = { lost: [], twice: [], invented: [] };
const tryLater = { status: 503, retryAfter: '1' };

let edge: OwnEdge;
let fleet: Fleet;
let thing: Thing;
let numbered: Numbered;

beforeAll(async () => {
  edge = await startOwnEdge({
    LOG_MAX_BYTES: String(segmentsMax * segmentBytes),
    BODY_BYTES_MAX: String(bodyBytesMax),
  });
  fleet = await Fleet.login({ ...system(), ingestUrl: edge.url });
});

beforeEach(async () => {
  thing = await fleet.thing();
  numbered = sendNumbered(fleet, thing, connections);
  await eventually(() => numbered.acknowledged.size > 100);
});

afterEach(async () => {
  await disk('none');
  await numbered.stop();
});

afterAll(async () => {
  await fleet.allStored();
  await fleet.close();
  await stopOwnEdge(edge);
});

/** Waits until the edge tells this. */
async function told(word: 'fault' | 'asked'): Promise<void> {
  for await (const [message] of on(edge.process, 'message')) if (word in message) return;
}

async function disk(fault: Fault): Promise<void> {
  const done = told('fault');
  edge.process.send(fault);
  await done;
}

async function health(): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${edge.url}/health`);
  return { status: answer.status, body: await answer.json() };
}

const unhealthy = { status: 503, body: { status: 'fail', checks: { log: [{ status: 'fail' }] } } };

async function failedWrites(): Promise<number> {
  const text = await fetch(`${edge.url}/metrics`).then((answer) => answer.text());
  return Number(/^millrace_log_failed_writes_total (\d+)$/m.exec(text)?.[1]);
}

/** Sends messages, large ones first, until the log takes none; gives how many it took. */
async function fill(filler: Thing): Promise<number> {
  let taken = 0;
  let takenAt = performance.now();
  while (performance.now() - takenAt < refusingMs) {
    for (const body of bodies) {
      const answer = await fleet.publish(filler.key, body);
      if (answer.status === 202) {
        taken += 1;
        takenAt = performance.now();
        break;
      }
      expect(answer).toMatchObject(tryLater);
    }
  }
  return taken;
}

/** A store that keeps hundreds of megabytes makes each backup after it longer. */
async function giveBack({ id }: Thing): Promise<void> {
  expect((await fleet.call('DELETE', `/reader/senml/${id}`)).status).toBe(204);
}

describe('a disk that fails', () => {
  it('after a failed sync messages get 503, never 202, and later ones are stored once', async () => {
    const refused = await fleet.thing();
    await disk('failSync');
    // As often as there are segments: a failed write costs one.
    await eventually(async () => {
      expect(await fleet.publish(refused.key, bodies[2])).toMatchObject(tryLater);
      return (await failedWrites()) >= segmentsMax;
    });
    const before = numbered.acknowledged.size;
    expect(await fleet.publish(refused.key, bodies[2])).toMatchObject(tryLater);
    expect(numbered.acknowledged.size).toBe(before);
    await disk('none');
    await eventually(() => numbered.acknowledged.size > before + 100);
    await numbered.stop();
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
  });

  it('with a full disk messages get 503 once all segments are full, until there is room', async () => {
    const filler = await fleet.thing();
    let taken: number;
    // Segments that the sinks have passed would be written again.
    await system().kill('clickhouse', 'SIGSTOP');
    try {
      await disk('full');
      taken = await fill(filler);
      await numbered.stop();
      expect(await health()).toMatchObject(unhealthy);
      // There would be room, but not with what is left to others.
      await disk('short');
      await told('asked');
      expect(await fill(filler)).toBe(0);
      expect(await health()).toMatchObject(unhealthy);
    } finally {
      await system().kill('clickhouse', 'SIGCONT');
    }
    await disk('none');
    await eventually(async () => {
      expect(await fleet.publish(filler.key, bodies[0])).toMatchObject({ status: 202 });
    });
    await eventually(async () => expect(await fleet.stored(filler.id)).toBe(taken + 1), 30_000);
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
    await giveBack(filler);
  });

  it('with the log at its limit messages get 503 while the store is away, and all are stored after', async () => {
    const filler = await fleet.thing();
    let taken: number;
    await system().kill('clickhouse', 'SIGSTOP');
    try {
      taken = await fill(filler);
      await numbered.stop();
      expect(await health()).toMatchObject(unhealthy);
    } finally {
      await system().kill('clickhouse', 'SIGCONT');
    }
    await eventually(async () => {
      expect(await fleet.publish(filler.key, bodies[0])).toMatchObject({ status: 202 });
    }, 30_000);
    await eventually(async () => expect(await fleet.stored(filler.id)).toBe(taken + 1), 30_000);
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
    await giveBack(filler);
  });
});
