import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { damagedText, type Fault } from '../support/fixtures/faults.ts';
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
    LOG_LEVEL: 'error',
  });
  fleet = await Fleet.login({ ...system(), ingestUrl: edge.url });
});

beforeEach(async () => {
  thing = await fleet.thing();
  numbered = sendNumbered(fleet, thing, connections);
  await eventually(() => numbered.acknowledged.size > 100);
});

afterEach(async () => {
  await plant('none');
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

async function plant(fault: Fault): Promise<void> {
  const done = told('fault');
  edge.process.send(fault);
  await done;
}

async function health(): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${edge.url}/health`);
  return { status: answer.status, body: await answer.json() };
}

const unhealthy = { status: 503, body: { status: 'fail', checks: { log: [{ status: 'fail' }] } } };

async function metric(name: string): Promise<number> {
  const text = await fetch(`${edge.url}/metrics`).then((answer) => answer.text());
  const line = text.split('\n').find((one) => one.startsWith(`millrace_${name} `));
  return Number(line?.split(' ').at(1));
}

const failedWrites = () => metric('log_failed_writes_total');

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
  // First: the log has a segment or two then, which are full soon.
  it('with a full disk messages get 503 once all segments are full, until there is room', async () => {
    const filler = await fleet.thing();
    let taken: number;
    // Segments that the sinks have passed would be written again.
    await system().kill('clickhouse', 'SIGSTOP');
    try {
      await plant('full');
      taken = await fill(filler);
      await numbered.stop();
      expect(await health()).toMatchObject(unhealthy);
      // There would be room, but not with what is left to others.
      await plant('short');
      await told('asked');
      expect(await fill(filler)).toBe(0);
      expect(await health()).toMatchObject(unhealthy);
    } finally {
      await system().kill('clickhouse', 'SIGCONT');
    }
    await plant('none');
    await eventually(async () => {
      expect(await fleet.publish(filler.key, bodies[0])).toMatchObject({ status: 202 });
    });
    await eventually(async () => expect(await fleet.stored(filler.id)).toBe(taken + 1), 30_000);
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
    await giveBack(filler);
  });

  it('after a failed sync messages get 503, never 202, and later ones are stored once', async () => {
    const refused = await fleet.thing();
    await plant('failSync');
    // As often as there are segments: a failed write costs one.
    await eventually(async () => {
      expect(await fleet.publish(refused.key, bodies[2])).toMatchObject(tryLater);
      return (await failedWrites()) >= segmentsMax;
    });
    const before = numbered.acknowledged.size;
    expect(await fleet.publish(refused.key, bodies[2])).toMatchObject(tryLater);
    expect(numbered.acknowledged.size).toBe(before);
    await plant('none');
    await eventually(() => numbered.acknowledged.size > before + 100);
    await numbered.stop();
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
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

describe('a mistake of our own in the sink of the store', () => {
  const unknown = {
    status: 200,
    body: {
      status: 'warn',
      checks: { clickhouse: [{ output: expect.stringContaining('a reason that is not known') }] },
    },
  };

  it('is told as one in health, metrics and log, and nothing is lost or stored twice by it', async () => {
    await plant('mistake');
    await eventually(async () => expect(await health()).toMatchObject(unknown));
    await eventually(async () => expect(await metric('sink_halted{sink="senml"}')).toBe(1));
    const lines = edge
      .output()
      .split('\n')
      .filter((line) => line.includes('that was planted'));
    expect(lines).toEqual([expect.stringContaining('batches fail for a reason that is not known')]);
    const before = numbered.acknowledged.size;
    await eventually(() => numbered.acknowledged.size > before + 100);
    expect(await metric('sink_quarantined_records_total{sink="senml"}')).toBe(0);
    await plant('none');
    await eventually(async () => expect(await metric('sink_halted{sink="senml"}')).toBe(0), 30_000);
    await numbered.stop();
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
  });

  it('in the bytes of one message puts that one into the quarantine, and delays no other', async () => {
    const damaged = await fleet.thing();
    const answer = await fleet.publish(damaged.key, [{ n: 'a', vs: damagedText }]);
    expect(answer).toMatchObject({ status: 202 });
    const before = numbered.acknowledged.size;
    await eventually(() => numbered.acknowledged.size > before + 100);
    await numbered.stop();
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
    expect(await metric('sink_quarantined_records_total{sink="senml"}')).toBe(1);
    const path = join(edge.dataDir, 'log/0/quarantine.ndjson');
    const entry: unknown = JSON.parse(readFileSync(path, 'utf8'));
    expect(entry).toMatchObject({ sink: 'senml', records: 1, code: 'BytesDamaged' });
    expect(await fleet.stored(damaged.id)).toBe(0);
  });
});
