import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { killEverything } from './kill-everything.ts';
import { runStart, startSystem } from '../support/system.ts';

const kills = Number(process.env['FAULTS_KILLS'] ?? 40);
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
/** About as long as a start takes here, and a little of what comes after it. */
const startMs = 8_000;

it(`starts at the first try after kill -9 of everything, or of the supervisor alone, at any moment of a start (FAULTS_SEED=${seed})`, async () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const turn = fc.record({
    at: fc.noBias(fc.double({ min: 0, max: 1, noNaN: true })),
    // A first start, or one of a system that was up before.
    first: fc.boolean(),
    // How often it is killed, before it may come up.
    times: fc.integer({ min: 1, max: 3 }),
    // Then what it had started goes on for a while.
    supervisorAlone: fc.boolean(),
  });
  let dir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  for (const one of fc.sample(turn, { seed, numRuns: kills })) {
    if (one.first) {
      rmSync(dir, { recursive: true });
      dir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
    }
    for (let time = 0; time < one.times; time++) {
      const start = runStart({ DATA_DIR: dir });
      await delay(((one.at + time * 0.37) % 1) * startMs);
      if (one.supervisorAlone) process.kill(start.supervisorPid, 'SIGKILL');
      else await killEverything(start.supervisorPid, dir);
      await start.exited;
    }
    const system = await startSystem({ dataDir: dir });
    const again = system.output().match(/.*starts again.*/)?.[0];
    expect(again, JSON.stringify(one)).toBeUndefined();
    await killEverything(system.supervisorPid, dir);
    await system.exited;
  }
  rmSync(dir, { recursive: true });
});
