import { afterAll, describe, expect, it } from 'vitest';
import { createBudgets } from '../../api/budgets/budgets.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { openDatabase } from '../../api/stores/database.ts';
import { spendFor } from '../../api/stores/spending.ts';

const pool = openPostgres(system().databaseUrl, 2, 10_000, createLog('test', 'silent'));
const db = openDatabase(pool, pool, createBudgets());

afterAll(() => pool.end());

describe('a search', () => {
  const budgets = createBudgets(1, { statements: { perCallerMax: 3 } });
  const bounded = openDatabase(pool, pool, budgets);
  const spender = { caller: 'user a', org: undefined, stranger: false };
  const search = (text: string, isHeavy: boolean) =>
    new Promise((resolve, reject) => {
      spendFor({ spender, gone: new AbortController().signal }, () => {
        bounded.search(text, [], { isHeavy, isLarge: false }).then(resolve, reject);
      });
    });

  it('uses one turn of its caller, and a heavy one all turns', async () => {
    const turnsOf = async (isHeavy: boolean) => {
      await eventually(() => expect(budgets.statements.stats().held).toBe(0));
      const found = search('SELECT 1 AS one, 0 AS bytes', isHeavy);
      const held = await Promise.resolve().then(() => budgets.statements.stats().held);
      expect(await found).toEqual([{ one: 1, bytes: 0 }]);
      return held;
    };
    expect(await turnsOf(false)).toBe(1);
    expect(await turnsOf(true)).toBe(3);
  });

  it('that took long keeps its turns for the same time again, even if it failed', async () => {
    await search('SELECT pg_sleep(0.1), 0 AS bytes', true);
    expect(budgets.statements.stats().held).toBe(3);
    await eventually(() => expect(budgets.statements.stats().held).toBe(0));
    await expect(
      search("SELECT 1 / count(*) FROM pg_sleep(0.1) AS a WHERE a::text = 'a'", true),
    ).rejects.toMatchObject({ code: 'malformed' });
    expect(budgets.statements.stats().held).toBe(3);
    await eventually(() => expect(budgets.statements.stats().held).toBe(0));
  });
});

describe('a transaction', () => {
  it('whose connection breaks fails as unavailable, and disturbs no other', async () => {
    const broken = db.transaction(async (within) => {
      const [own] = await within.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
      await pool.query('SELECT pg_terminate_backend($1)', [own?.pid]);
      // The connection ends while no statement is under way on it.
      await eventually(async () => {
        const text = 'SELECT 1 FROM pg_stat_activity WHERE pid = $1';
        expect(await db.rows(text, [own?.pid])).toEqual([]);
      });
      await within.rows('SELECT 1', []);
    });
    await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
    expect(await db.transaction((within) => within.rows('SELECT 1 AS one', []))).toEqual([
      { one: 1 },
    ]);
  });

  it('is rolled back when its work throws', async () => {
    const failed = db.transaction(async (within) => {
      await within.rows('CREATE TABLE half_done (id int)', []);
      throw new Error('half way');
    });
    await expect(failed).rejects.toThrow('half way');
    const found = await db.rows(`SELECT to_regclass('half_done') AS name`, []);
    expect(found).toEqual([{ name: null }]);
  });
});
