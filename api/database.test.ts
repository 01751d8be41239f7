import { afterAll, describe, expect, it } from 'vitest';
import { createBudgets } from '../infra/budgets.ts';
import { createLog } from '../infra/log.ts';
import { openPostgres } from '../infra/postgres.ts';
import { system } from '../test/system.ts';
import { openDatabase } from './database.ts';
import { spendFor } from './spending.ts';

const pool = openPostgres(system().databaseUrl, 2, 10_000, createLog('test', 'silent'));
const db = openDatabase(pool, pool, createBudgets({}));

afterAll(() => pool.end());

describe('a search', () => {
  it('takes at most all of its caller’s share, however small the settings make that', async () => {
    const budgets = createBudgets({ STATEMENTS_PER_CALLER_MAX: 1 });
    const bounded = openDatabase(pool, pool, budgets);
    const spender = { caller: 'user a', org: undefined, stranger: false };
    const gone = new AbortController().signal;
    const found = new Promise((resolve, reject) => {
      spendFor({ spender, gone }, () => {
        bounded
          .search('SELECT 1 AS one, 0 AS bytes', [], { weight: 2, isLarge: true })
          .then(resolve, reject);
      });
    });
    expect(await found).toEqual([{ one: 1, bytes: 0 }]);
  });
});

describe('a transaction', () => {
  it('whose connection breaks is unavailable, and ends nothing else', async () => {
    const broken = db.transaction(async (within) => {
      const [own] = await within.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
      await pool.query('SELECT pg_terminate_backend($1)', [own?.pid]);
      // The end of the connection comes while nothing is asked of it.
      await db.rows('SELECT pg_sleep(0.2)', []);
      await within.rows('SELECT 1', []);
    });
    await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
    expect(await db.transaction((within) => within.rows('SELECT 1 AS one', []))).toEqual([
      { one: 1 },
    ]);
  });

  it('undoes everything where its work throws', async () => {
    const failed = db.transaction(async (within) => {
      await within.rows('CREATE TABLE half_done (id int)', []);
      throw new Error('half way');
    });
    await expect(failed).rejects.toThrow('half way');
    const found = await db.rows(`SELECT to_regclass('half_done') AS name`, []);
    expect(found).toEqual([{ name: null }]);
  });
});
