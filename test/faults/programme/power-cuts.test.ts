import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type OwnSystem, runStart, startSystem } from '../../support/system.ts';
import { allKept, judgeLoad } from './judge.ts';
import { killEverything } from './kills.ts';
import { startLoad } from './load.ts';
import { fixedPorts } from './ports.ts';
import { report } from './report.ts';
import { settings } from './settings.ts';

const { allKills, seed, rate } = settings;
const msMax = allKills * 60_000 + 40 * 60_000;
const acknowledgedMin = 200;
const acknowledgeMsMax = 60_000;
/** A start that fails is told, and tried again so often before this gives up. */
const startsMax = 3;
/** After how long the moment of a kill comes, once work is done; and, in one turn of four, within a start. */
const turn = fc.record({
  afterMs: fc.noBias(fc.nat(5_000)),
  withinStart: fc.constantFrom(true, false, false, false),
  withinMs: fc.noBias(fc.nat(6_000)),
});

it(
  `after each of ${allKills} kills of everything at once the first start succeeds, with all that was acknowledged (FAULTS_SEED=${seed})`,
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
    const env = { INGEST_PROCESSES: '2', ...(await fixedPorts()) };
    const failedStarts: string[] = [];
    const startMs: number[] = [];
    async function start(): Promise<OwnSystem> {
      for (let tries = 1; ; tries++) {
        const startedAt = performance.now();
        try {
          const started = await startSystem({ dataDir, env });
          startMs.push(performance.now() - startedAt);
          return started;
        } catch (error) {
          const text = error instanceof Error ? error.message : String(error);
          failedStarts.push(text.trim().split('\n').slice(-3).join(' | '));
          if (tries === startsMax) throw error;
        }
      }
    }

    let system = await start();
    const load = await startLoad(system, rate);
    const facts: Record<string, unknown> = {};
    let killed = 0;
    try {
      for (const { afterMs, withinStart, withinMs } of fc.sample(turn, {
        seed,
        numRuns: allKills,
      })) {
        const before = load.ledger.acknowledged;
        const hasWorked = () => load.ledger.acknowledged > before + acknowledgedMin;
        await eventually(hasWorked, acknowledgeMsMax);
        await delay(afterMs);
        await killEverything(dataDir, system.supervisorPid);
        killed += 1;
        if (withinStart) {
          const begun = runStart({ DATA_DIR: dataDir, ...env });
          await delay(withinMs);
          await killEverything(dataDir, begun.supervisorPid);
          await begun.exited;
          killed += 1;
        }
        system = await start();
      }
      await load.stop();
      const { findings, figures } = await judgeLoad(system, load);
      Object.assign(facts, findings, figures);
      const isGood = failedStarts.length === 0 && isDeepStrictEqual(findings, allKept);
      await system.stop(!isGood);
      if (isGood) rmSync(dataDir, { recursive: true });
      expect(findings).toEqual(allKept);
      expect(failedStarts).toEqual([]);
    } finally {
      const slowestStartSeconds = Math.round(Math.max(...startMs) / 1_000);
      const starts = startMs.length;
      report('kills of everything', {
        seed,
        killed,
        starts,
        failedStarts,
        slowestStartSeconds,
        ...facts,
      });
      await load.stop();
      await load.close();
    }
  },
  msMax,
);
