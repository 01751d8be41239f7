import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { parseSnapshot, type Snapshot } from '../../ingest/auth/journal/snapshot.ts';
import { loadKeyChanges } from '../../ingest/auth/journal/sql.ts';
import { system } from '../support/system.ts';

let pool: Pool;

beforeAll(() => {
  pool = openPostgres(system().databaseUrl, 2, 30_000, createLog('test', 'silent'));
});

afterAll(() => pool.end());

/** Reads as an edge does: page after page, and on from the first page's snapshot. */
async function readAll(since: Snapshot) {
  let page = await loadKeyChanges(pool, since);
  const { snapshot } = page;
  const lookups = page.changes.map(({ lookup }) => lookup);
  let pages = 1;
  while (page.end !== undefined) {
    page = await loadKeyChanges(pool, since, page.end);
    for (const { lookup } of page.changes) lookups.push(lookup);
    pages += 1;
  }
  return { snapshot, lookups, pages };
}

async function now(): Promise<Snapshot> {
  const { rows } = await pool.query<{ text: string }>('SELECT pg_current_snapshot()::text AS text');
  return parseSnapshot(rows[0]?.text ?? '');
}

const addChange = 'INSERT INTO key_changes (lookup) VALUES ($1)';

describe('the journal of keys, as an edge reads it', () => {
  it('is complete, however much one transaction has changed', async () => {
    const before = await now();
    await pool.query(
      `INSERT INTO key_changes (lookup)
       SELECT sha256(('many ' || at)::bytea) FROM generate_series(1, 50000) AS at`,
    );
    const last = randomBytes(32);
    await pool.query(addChange, [last]);
    const { lookups, pages } = await readAll(before);
    expect(pages).toBe(3);
    expect(lookups).toContain(last.toString('hex'));
    expect(new Set(lookups).size).toBeGreaterThanOrEqual(50_001);
    expect(new Set(lookups).size).toBe(lookups.length);
  });

  it('has later what was in progress, and nothing twice', async () => {
    const [early, late] = [randomBytes(32), randomBytes(32)];
    const before = await now();
    const slow = await pool.connect();
    try {
      await slow.query('BEGIN');
      await slow.query(addChange, [early]);
      await pool.query(addChange, [late]);
      const meanwhile = await readAll(before);
      expect(meanwhile.lookups).toContain(late.toString('hex'));
      expect(meanwhile.lookups).not.toContain(early.toString('hex'));
      await slow.query('COMMIT');
      const afterwards = await readAll(meanwhile.snapshot);
      expect(afterwards.lookups).toContain(early.toString('hex'));
      expect(afterwards.lookups).not.toContain(late.toString('hex'));
    } finally {
      slow.release();
    }
  });
});
