import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchNotes } from './batch-notes.ts';

let directory: string;
let notes: BatchNotes;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-notes-'));
  notes = new BatchNotes(join(directory, 'batches'));
});

afterEach(() => rmSync(directory, { recursive: true }));

const batch = (segment: number, from: number, to: number) => ({ segment, from, to });
const start = { segment: 0, offset: 0 };

describe('the batches that may have to be added again', () => {
  it('are none where none was noted', async () => {
    expect(await notes.since(start)).toEqual([]);
  });

  it('are those from a place on, in order, each once, however often it was noted', async () => {
    for (const one of [batch(1, 0, 8), batch(1, 8, 16), batch(2, 0, 8), batch(1, 8, 16)]) {
      await notes.note(one);
    }
    const place = { segment: 1, offset: 8 };
    expect(await notes.since(place)).toEqual([batch(1, 8, 16), batch(2, 0, 8)]);
  });

  it('are those that were kept, and what came after', async () => {
    await notes.note(batch(1, 0, 8));
    await notes.keep([batch(1, 8, 16)]);
    await notes.note(batch(1, 16, 24));
    expect(await notes.since(start)).toEqual([batch(1, 8, 16), batch(1, 16, 24)]);
  });

  it('are told apart from a line that was cut off', async () => {
    await notes.note(batch(1, 0, 8));
    appendFileSync(join(directory, 'batches'), '{"segment":1,"from":8,"t');
    expect(await notes.since(start)).toEqual([batch(1, 0, 8)]);
  });
});
