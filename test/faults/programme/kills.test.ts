import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type OwnSystem, startSystem } from '../../support/system.ts';
import { allKept, judgeLoad } from './judge.ts';
import { killAgainAndAgain, victims } from './kills.ts';
import { startLoad } from './load.ts';
import { report } from './report.ts';
import { settings } from './settings.ts';

const { kills, seed, rate } = settings;
/** A kill of one that dies often takes about ten seconds; the judging has its own time. */
const msMax = kills * 30_000 + 40 * 60_000;

let system: OwnSystem;
let failed = false;

beforeAll(async () => {
  system = await startSystem({ env: { INGEST_PROCESSES: '2' } });
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(() => system.stop(failed));

it(
  `${kills} kills of each process at the same time lose, double and invent nothing (FAULTS_SEED=${seed})`,
  async () => {
    const load = await startLoad(system, rate);
    const startedAt = performance.now();
    const killed = await Promise.all(
      victims.map((victim) => killAgainAndAgain(system, victim, kills, seed)),
    );
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    await load.stop();
    const { findings, figures } = await judgeLoad(system, load);
    await load.close();
    const kinds = Object.fromEntries(victims.map((victim, at) => [victim, killed[at]]));
    report('kills of each', { seed, kills: kinds, seconds, ...findings, ...figures });
    expect(findings).toEqual(allKept);
  },
  msMax,
);
