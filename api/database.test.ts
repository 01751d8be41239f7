import { afterAll, describe, expect, it } from 'vitest';
import { createLog } from '../infra/log.ts';
import { openPostgres } from '../infra/postgres.ts';
import { system } from '../test/system.ts';
import { openDatabase } from './database.ts';

const pool = openPostgres(system().databaseUrl, 2, 10_000, createLog('test', 'silent'));
const db = openDatabase(pool);

afterAll(() => pool.end());

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
