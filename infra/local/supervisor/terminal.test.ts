import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Says two lines, one after the other, and tells on standard error whether the reader of its output is gone. */
const script = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { openTerminal } from '${join(import.meta.dirname, 'terminal.ts')}';
  const terminal = openTerminal(() => process.stderr.write('gone '));
  terminal.line('edge', 'one');
  await delay(100);
  terminal.line('edge', 'two');
  await delay(100);
  process.stderr.write('ended');
`;

function endsSaying(output: string): string {
  const args = ['--input-type=module-typescript', '-e', script];
  const command = ['-c', `"$0" "$@" ${output}`, process.execPath, ...args];
  return spawnSync('sh', command, { encoding: 'utf8' }).stderr.trim();
}

it('output that goes into a full disk is lost, and nobody is gone for it', () => {
  expect(endsSaying('>/dev/full')).toBe('ended');
});

it('who read the output and has left is gone', () => {
  expect(endsSaying('| true')).toBe('gone ended');
});
