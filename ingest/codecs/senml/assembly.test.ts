import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { expect, it } from 'vitest';

const here = join(import.meta.dirname, 'assembly');

it('scan.wasm is what its source compiles to (npm run assembly)', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-assembly-'));
  try {
    const compiled = join(directory, 'scan.wasm');
    const source = join(here, 'scan.ts');
    const config = join(here, 'asconfig.json');
    const { error, stderr } = await asc.main([source, '--config', config, '--outFile', compiled]);
    expect(error, stderr.toString()).toBeNull();
    expect(readFileSync(compiled).equals(readFileSync(join(here, 'scan.wasm')))).toBe(true);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
