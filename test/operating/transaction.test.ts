import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool, transaction } from '../../infra/runtime/stores/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';

let pool: Pool;

beforeAll(() => {
  pool = openPostgres(system().databaseUrl, 2, 10_000, createLog('test', 'silent'));
});

afterAll(() => pool.end());

describe('a transaction', () => {
  it('whose connection is lost between two statements fails, and ends nobody', async () => {
    const lost = transaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await eventually(async () => {
        const of = 'SELECT 1 FROM pg_stat_activity WHERE pid = $1';
        return (await pool.query(of, [rows[0]?.pid])).rows.length === 0;
      });
      await client.query('SELECT 1');
    });
    await expect(lost).rejects.toThrow(/./);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('is undone by what its work throws', async () => {
    const given = new Error('no');
    const undone = transaction(pool, async (client) => {
      await client.query('CREATE TABLE never_there (id integer)');
      throw given;
    });
    await expect(undone).rejects.toBe(given);
    const { rows } = await pool.query(`SELECT to_regclass('never_there') AS found`);
    expect(rows).toEqual([{ found: null }]);
  });
});
