import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type OwnSystem, startSystem } from '../../support/system.ts';
import { allKept, judgeLoad } from './judge.ts';
import { startLoad } from './load.ts';
import { report } from './report.ts';
import { settings } from './settings.ts';

const { awayMs, rate } = settings;
const msMax = awayMs + 40 * 60_000;

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
  `while the store is away for ${awayMs / 60_000} minutes each message is accepted, and all of them are stored after`,
  async () => {
    const load = await startLoad(system, rate);
    await system.kill('clickhouse', 'SIGSTOP');
    try {
      await delay(awayMs);
    } finally {
      await system.kill('clickhouse', 'SIGCONT');
    }
    await load.stop();
    const { findings, figures } = await judgeLoad(system, load);
    await load.close();
    report('the store away', { minutes: awayMs / 60_000, ...findings, ...figures });
    expect(findings).toEqual(allKept);
    const refused = Object.keys(figures.answers).filter((answer) => /^edge (?!202$)/.test(answer));
    expect(refused).toEqual([]);
  },
  msMax,
);
