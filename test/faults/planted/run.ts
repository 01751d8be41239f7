/*
 * `node test/faults/planted/run.ts [part of a name]`: plants each bug in a scratch copy of the project, runs the
 * tests that should notice it, and tells which did. The tests must pass in the copy without it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bug, bugs } from './bugs.ts';

const root = join(import.meta.dirname, '../../..');
const wanted = process.argv[2] ?? '';

type Results = { testResults: { assertionResults: { fullName: string; status: string }[] }[] };

function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'millrace-planted-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of listed.split('\n').filter((one) => one !== '')) {
    cpSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The names of the tests that failed; what vitest printed where there are no results. */
function failedTests(copy: string, project: string, tests: readonly string[]): string[] {
  const file = join(copy, 'results.json');
  rmSync(file, { force: true });
  const args = ['run', '--project', project, '--reporter=json', `--outputFile=${file}`, ...tests];
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const { stderr } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: copy,
    encoding: 'utf8',
  });
  try {
    const { testResults }: Results = JSON.parse(readFileSync(file, 'utf8'));
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    if (all.length === 0) return [`no test ran: ${stderr.slice(-300)}`];
    return all.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  } catch {
    return [`no results: ${stderr.slice(-300)}`];
  }
}

/** Plants it; gives back how to dig it up. @throws where what it replaces is not there just once. */
function plant(copy: string, { file, find, replace, name }: Bug): () => void {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`${name}: what it replaces stands ${parts.length - 1} times in ${file}`);
  }
  writeFileSync(path, parts.join(replace));
  return () => writeFileSync(path, source);
}

const copy = copyProject();
const chosen = bugs.filter(({ name }) => name.includes(wanted));
const sound = new Map<string, string[]>();
const outcomes: { bug: string; caughtBy: string[]; problem?: string }[] = [];
for (const bug of chosen) {
  const { name, project, tests } = bug;
  const key = [project, ...tests].join(' ');
  const before = sound.get(key) ?? failedTests(copy, project, tests);
  sound.set(key, before);
  try {
    if (before.length > 0) throw new Error(`without it these fail: ${before.join('; ')}`);
    const digUp = plant(copy, bug);
    outcomes.push({ bug: name, caughtBy: failedTests(copy, project, tests) });
    digUp();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    outcomes.push({ bug: name, caughtBy: [], problem });
  }
  const { caughtBy, problem } = outcomes.at(-1) ?? { caughtBy: [] };
  const said =
    problem ?? (caughtBy.length > 0 ? `caught by: ${caughtBy.join('; ')}` : 'NOT CAUGHT');
  process.stdout.write(`${name}\n  ${said}\n`);
}
rmSync(copy, { recursive: true });
const caught = outcomes.filter(({ caughtBy }) => caughtBy.length > 0).length;
process.stdout.write(
  `${JSON.stringify({ part: 'planted bugs', caught, of: chosen.length, outcomes })}\n`,
);
process.exit(caught === chosen.length ? 0 : 1);
