import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChild } from './harness/child.ts';
import { compare } from './harness/compare.ts';
import type { Figure } from './harness/figures.ts';
import { isSmoke } from './harness/load/durations.ts';
import { pack, seededRandom } from './harness/requests.ts';
import { scenarios } from './scenarios/scenarios.ts';
import { setUp } from './harness/setup.ts';
import { requireWrk } from './harness/load/wrk.ts';

const resultsPath = process.env['BENCH_RESULTS'] ?? join(import.meta.dirname, 'results.ndjson');

const rounded = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(3));

function print({ name, value, unit, goal, reached, note, spread }: Figure): void {
  const number = rounded(value);
  const result = goal === '' ? '' : `${reached ? 'reached' : 'MISSED '} ${goal}`;
  process.stdout.write(
    `  ${name.padEnd(56)} ${number.padStart(12)} ${unit.padEnd(14)} ${result}\n`,
  );
  if (spread !== undefined) {
    process.stdout.write(`    rounds from ${rounded(spread[0])} to ${rounded(spread[1])}\n`);
  }
  if (note !== undefined) process.stdout.write(`    ${note}\n`);
}

/** The speed of this machine now, as MB/s of JSON.parse over a SenML pack of 100. */
function jsonParseSpeed(): number {
  const text = pack(seededRandom(100), 1, 100, 1_700_000_000);
  const turns = 5_000;
  for (let i = 0; i < turns; i++) JSON.parse(text);
  const startedAt = performance.now();
  for (let i = 0; i < turns; i++) JSON.parse(text);
  return (text.length * turns) / (performance.now() - startedAt) / 1_000;
}

/**
 * `npm run bench [-- scenario …]` prints each figure, and appends all of them to results.ndjson (or the file
 * `BENCH_RESULTS`). `--compare REV [scenario …]` runs two revisions in turns. `--smoke` reports the most telling
 * limits in under a minute, and never fails.
 */
async function main([first, ...others]: string[]): Promise<void> {
  if (first === '--smoke') return report();
  requireWrk();
  const named = first === '--compare' ? others.slice(1) : process.argv.slice(2);
  const unknown = named.filter((name) => !(name in scenarios));
  if (unknown.length > 0) {
    throw new Error(
      `no scenario ${unknown.join(', ')}; there are ${Object.keys(scenarios).join(', ')}`,
    );
  }
  if (first !== '--compare') return runAll(named);
  const [revision] = others;
  if (revision === undefined) throw new Error('--compare needs a revision');
  await compare(revision, named);
}

async function report(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'millrace-smoke-'));
  const env = { BENCH_SECONDS: '1', BENCH_ROUNDS: '1' };
  try {
    requireWrk();
    await runChild(join(import.meta.dirname, '..'), ['smoke'], env, join(scratch, 'results'));
  } catch (error) {
    process.stdout.write(
      `no smoke report: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runAll(wanted: string[]): Promise<void> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  let clickhouseVersion = '';
  const results: Record<string, Figure[]> = {};
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (wanted.length > 0 ? !wanted.includes(name) : name === 'smoke') continue;
    // A store of its own: what one scenario left to merge must not slow the next.
    const bench = await setUp();
    let failed = true;
    try {
      clickhouseVersion = await bench.clickhouseVersion();
      process.stdout.write(
        `${name} (JSON.parse here and now: ${jsonParseSpeed().toFixed(0)} MB/s)\n`,
      );
      results[name] = await scenario(bench);
      for (const figure of results[name]) print(figure);
      failed = false;
    } finally {
      await bench.close(failed);
    }
  }
  const [cpu] = cpus();
  const line = {
    at: new Date().toISOString(),
    commit,
    machine: `${cpus().length} x ${cpu?.model ?? 'unknown'}`,
    node: process.version,
    clickhouse: clickhouseVersion,
    jsonParseMBs: Math.round(jsonParseSpeed()),
    ...(isSmoke ? { shortened: true } : {}),
    results,
  };
  appendFileSync(resultsPath, `${JSON.stringify(line)}\n`);
}

await main(process.argv.slice(2));
