import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fleet } from '../support/fleet.ts';
import { floodEdge } from '../support/malformed/edge.ts';
import { watchStalls } from '../support/malformed/stall.ts';
import { system } from '../support/system.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? 1);
const bodies = Number(process.env['FAULTS_BODIES'] ?? 1_000_000);
const msMax = 60 * 60_000;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

it(
  `${bodies} malformed bodies at the edge: no 5xx but 503 with Retry-After, and nobody waits (FAULTS_SEED=${seed})`,
  async () => {
    const pid = await system().pid('ingest');
    const watch = await watchStalls(`${system().ingestUrl}/nothing`, pid);
    const { statuses, wrong } = await floodEdge(fleet, seed, bodies);
    const stalls = await watch.stop();
    const part = 'malformed bodies at the edge';
    process.stdout.write(`${JSON.stringify({ part, seed, bodies, statuses, stalls })}\n`);
    expect(wrong).toEqual([]);
    expect(await system().pid('ingest')).toBe(pid);
    expect(stalls.over).toBe(0);
  },
  msMax,
);
