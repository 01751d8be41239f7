import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { quarantine } from '../sinks/notes.ts';
import { followQuarantine } from './quarantined.ts';

const directory = mkdtempSync(join(tmpdir(), 'millrace-quarantine-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('tells the newest of the quarantine, without payloads, as long as the file is there', async () => {
  const newest = followQuarantine(directory);
  expect(await newest()).toEqual([]);
  for (let offset = 0; offset < 30; offset++) {
    const frame = { records: 2, code: '469', reason: 'x'.repeat(1_000), payload: 'secret' };
    await quarantine(directory, 'senml', { segment: 1, offset }, frame);
  }
  const told = await newest();
  expect(told.map(({ offset }) => offset)).toEqual(Array.from({ length: 20 }, (_, at) => 29 - at));
  expect(told[0]).toEqual({
    at: expect.any(String),
    sink: 'senml',
    records: 2,
    code: '469',
    reason: 'x'.repeat(300),
    segment: 1,
    offset: 29,
  });

  // An edge was killed in the middle of a line.
  const path = join(directory, 'quarantine.ndjson');
  appendFileSync(path, '{"at":"2026\n');
  const frame = { code: 'too_large', reason: 'too large', payload: undefined };
  await quarantine(directory, 'json', { segment: 2, offset: 0 }, frame);
  const [last, ...others] = await newest();
  expect(last).toMatchObject({ sink: 'json', code: 'too_large', segment: 2 });
  expect(others[0]).toMatchObject({ offset: 29 });

  rmSync(path);
  expect(await newest()).toEqual([]);
});
