import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const here = join(import.meta.dirname, 'assembly');
// Run, not imported: its types would change those of JavaScript's own arrays for all files.
const compiler = join(import.meta.dirname, '../../../node_modules/assemblyscript/bin/asc.js');

it('scan.wasm is what its source compiles to (npm run assembly)', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-assembly-'));
  try {
    const compiled = join(directory, 'scan.wasm');
    const options = ['--config', join(here, 'asconfig.json'), '--outFile', compiled];
    await promisify(execFile)(process.execPath, [compiler, join(here, 'scan.ts'), ...options]);
    expect(readFileSync(compiled).equals(readFileSync(join(here, 'scan.wasm')))).toBe(true);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
