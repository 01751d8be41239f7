import { expect, it } from 'vitest';
import { floodApi } from './api-flood.ts';
import { watchStalls } from '../support/malformed/stall.ts';
import { system } from '../support/system.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? 1);
const each = Number(process.env['FAULTS_EACH_ROUTE'] ?? 10_000);
const msMax = 4 * 3_600_000;

it(
  `${each} malformed requests to each route: no 5xx but 503 with Retry-After, and nobody waits (FAULTS_SEED=${seed})`,
  async () => {
    const pid = await system().pid('api');
    const watch = await watchStalls(`${system().apiUrl}/nothing`, pid);
    const { routes, statuses, wrong } = await floodApi(seed, each);
    const stalls = await watch.stop();
    const part = 'malformed requests to the API';
    process.stdout.write(`${JSON.stringify({ part, seed, each, routes, statuses, stalls })}\n`);
    expect(wrong).toEqual([]);
    expect(await system().pid('api')).toBe(pid);
    expect(stalls.over).toBe(0);
  },
  msMax,
);
