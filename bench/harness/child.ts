import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** A line of results, as far as it is read again. */
const Results = Type.Object({
  results: Type.Record(
    Type.String(),
    Type.Array(
      Type.Object({
        name: Type.String(),
        value: Type.Union([Type.Number(), Type.Null()]),
        unit: Type.String(),
      }),
    ),
  ),
});
export type Results = Static<typeof Results>['results'];

/**
 * Runs scenarios of the revision in `directory` in a process of their own.
 *
 * @throws when it fails, or leaves no results.
 */
export async function runChild(
  directory: string,
  scenarios: string[],
  env: Record<string, string>,
  resultsPath: string,
): Promise<Results> {
  rmSync(resultsPath, { force: true });
  const child = spawn(process.execPath, [join(directory, 'bench/main.ts'), ...scenarios], {
    cwd: directory,
    env: { ...process.env, ...env, BENCH_RESULTS: resultsPath },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGTERM', passOn).on('SIGINT', passOn);
  const [code] = await once(child, 'exit');
  process.off('SIGTERM', passOn).off('SIGINT', passOn);
  if (code !== 0) throw new Error(`the scenarios in ${directory} failed`);
  // Older revisions have one place only.
  const written = [resultsPath, join(directory, 'bench/results.ndjson')].find(existsSync);
  const line =
    readFileSync(written ?? resultsPath, 'utf8')
      .trimEnd()
      .split('\n')
      .at(-1) ?? '';
  return inTodaysWords(Value.Parse(Results, JSON.parse(line)).results);
}

/** Revisions before the glossary gave some figures other names. */
function inTodaysWords(results: Results): Results {
  const renamed = (name: string) =>
    name
      .replace('CPU a million records', 'CPU seconds per million records')
      .replace('bytes a record', 'bytes per record')
      .replace('on disk, a record', 'on disk, per record');
  return Object.fromEntries(
    Object.entries(results).map(([scenario, figures]) => [
      scenario,
      figures.map((figure) => ({ ...figure, name: renamed(figure.name) })),
    ]),
  );
}
