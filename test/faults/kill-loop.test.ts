import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { judge, sendNumbered } from '../support/messages/numbered.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const loopMs = Number(process.env['FAULTS_SECONDS'] ?? 600) * 1_000;
/** The same seed gives the same turns; what they hit is up to the machine. */
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const connections = 20;
const killsPerRound = 4;
const awayMs = 60_000;
/** However long the machine takes: what counts is that it comes. */
const waitMsMax = 5 * 60_000;
/** Few enough messages to read them all back. */
const betweenBurstsMs = 100;
const paddingChars = 500_000;
const fillers = 4;
const nothingWrong = { lost: [], twice: [], invented: [] };

let system: OwnSystem;
let fleet: Fleet;
let failed = false;

beforeAll(async () => {
  system = await startSystem();
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
});

/** Who is killed next, and after how long. */
const turn = fc.record({
  victim: fc.constantFrom('ingest', 'clickhouse', 'redis'),
  afterMs: fc.noBias(fc.nat(2_000)),
});

/**
 * Sends large messages that nobody reads, one after the other: a segment is full within seconds, so that passed
 * segments are written again while processes are killed.
 */
function fillLog(thing: Thing): { stop: () => Promise<void> } {
  let stopping = false;
  const send = async () => {
    while (!stopping) {
      await fleet
        .publish(thing.key, [{ n: 'padding', vs: 'x'.repeat(paddingChars) }])
        // The edge was killed under it.
        .catch(() => delay(betweenBurstsMs));
    }
  };
  const senders = Array.from({ length: fillers }, send);
  return {
    async stop() {
      stopping = true;
      await Promise.all(senders);
    },
  };
}

describe('kills in a loop', () => {
  it(`acknowledged records survive kill -9 of anyone at any moment (FAULTS_SEED=${seed})`, async () => {
    process.stdout.write(`FAULTS_SEED=${seed}\n`);
    const turns = fc.sample(turn, { seed, numRuns: 10_000 });
    const startedAt = performance.now();
    while (performance.now() - startedAt < loopMs) {
      const thing = await eventually(() => fleet.thing(), waitMsMax);
      const filling = fillLog(await eventually(() => fleet.thing(), waitMsMax));
      const numbered = sendNumbered(fleet, thing, connections);
      const round = turns.splice(0, killsPerRound);
      for (const { victim, afterMs } of round) {
        const before = numbered.acknowledged.size;
        await eventually(() => numbered.acknowledged.size > before + 200, waitMsMax);
        await delay(afterMs);
        await system.kill(victim, 'SIGKILL');
      }
      await numbered.stop();
      await filling.stop();
      const findings = await judge(fleet, thing, numbered, waitMsMax);
      expect(findings, JSON.stringify(round)).toEqual(nothingWrong);
    }
  });

  it('while the store is away for a minute messages are accepted, and all of them are stored after', async () => {
    // Whatever was killed last is on its way back, and the edge knows the thing once it has acknowledged its message.
    const thing = await eventually(() => fleet.thing(), waitMsMax);
    await eventually(
      async () =>
        expect((await fleet.publish(thing.key, [{ n: 'number', v: 0 }])).status).toBe(202),
      waitMsMax,
    );
    const acknowledged = new Set([0]);
    await system.kill('clickhouse', 'SIGSTOP');
    try {
      const backAt = performance.now() + awayMs;
      while (performance.now() < backAt) {
        const burst = Array.from({ length: connections }, (_, index) => acknowledged.size + index);
        const answers = await Promise.all(
          burst.map((number) => fleet.publish(thing.key, [{ n: 'number', v: number }])),
        );
        for (const { status } of answers) expect(status).toBe(202);
        for (const number of burst) acknowledged.add(number);
        await delay(betweenBurstsMs);
      }
    } finally {
      await system.kill('clickhouse', 'SIGCONT');
    }
    const numbered = { acknowledged, sent: acknowledged, stop: () => Promise.resolve() };
    expect(await judge(fleet, thing, numbered, waitMsMax)).toEqual(nothingWrong);
  });
});
