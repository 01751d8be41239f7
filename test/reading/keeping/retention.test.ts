import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { storedTable } from '../../../infra/runtime/stores/cluster.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../../infra/runtime/stores/postgres.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet } from '../../support/fleet.ts';
import { system } from '../../support/system.ts';
import { startRetention } from '../../../workers/retention/retention.ts';

const log = createLog('test', 'silent');
const goneMsMax = 60_000;

let fleet: Fleet;
let pool: Pool;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  pool = openPostgres(system().databaseUrl, 4, 10_000, log);
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
});

afterAll(async () => {
  await clickhouse.close();
  await pool.end();
  await fleet.close();
});

/** As far as 64 bits of nanoseconds reach, and where a DateTime begins and ends. */
const longAgo = ['-9223372036854775808', '-1', '0', '1000000000000000000'];
const farAhead = ['4294967295000000000', '4294967296000000000', '9223372036854775807'];

describe('the rules of retention', () => {
  it('apply to times beyond those of ClickHouse, with several workers at once', async () => {
    const { id, groupId } = await fleet.thing();
    await clickhouse.insert({
      table: 'json',
      values: [...longAgo, ...farAhead].map((created) => ({
        publisher: id,
        protocol: 'http',
        created,
        payload: '{}',
      })),
      format: 'JSONEachRow',
    });
    const stops = [1, 2, 3].map(() => startRetention({ pool, clickhouse, logger: log }));
    try {
      const days = { retention_days: 9_000 };
      expect((await fleet.call('PUT', `/groups/${groupId}`, days)).status).toBe(200);
      await eventually(async () => {
        const result = await clickhouse.query({
          query: `SELECT toString(created) AS time FROM json WHERE publisher = {id:UUID} ORDER BY created`,
          query_params: { id },
          format: 'JSONEachRow',
        });
        const left = await result.json<{ time: string }>();
        expect(left.map(({ time }) => time)).toEqual(farAhead);
      }, goneMsMax);
      expect((await fleet.call('PUT', `/groups/${groupId}`, { retention_days: null })).status).toBe(
        200,
      );
      await eventually(async () => {
        const kept = await clickhouse.query({
          query: 'SELECT count() FROM kept WHERE publisher = {id:UUID}',
          query_params: { id },
          format: 'TabSeparated',
        });
        expect(Number(await kept.text())).toBe(0);
        const rules = await clickhouse.query({
          query: `SELECT create_table_query AS text FROM system.tables
                  WHERE database = currentDatabase() AND name IN {tables:Array(String)}`,
          query_params: {
            tables: ['senml', 'json'].map((name) => storedTable(clickhouse.cluster, name)),
          },
          format: 'JSONEachRow',
        });
        for (const { text } of await rules.json<{ text: string }>()) {
          expect(text).not.toContain('(days >= 9000)');
        }
      }, goneMsMax);
    } finally {
      await Promise.all(stops.map((stop) => stop()));
    }
  });

  it('keep no message for longer than the quota of its org', async () => {
    const { id, groupId } = await fleet.thing();
    const group = await fleet.call('GET', `/groups/${groupId}`);
    const { org_id: orgId } = Value.Parse(Type.Object({ org_id: Type.String() }), group.body);
    const quota = (storage_days: number | null) =>
      fleet.call('PUT', `/orgs/${orgId}/quota`, { storage_days });
    const keptDays = async () => {
      const kept = await clickhouse.query({
        query: 'SELECT days FROM kept WHERE publisher = {id:UUID}',
        query_params: { id },
        format: 'TabSeparated',
      });
      return (await kept.text()).trim();
    };
    for (const [days, most, wanted] of [
      [9_500, 8_001, '8001'],
      [9_500, null, '9500'],
      [null, 8_001, '8001'],
      [null, null, ''],
    ] as const) {
      await fleet.call('PUT', `/groups/${groupId}`, { retention_days: days });
      expect((await quota(most)).status).toBe(200);
      await eventually(async () => {
        // One look, at once.
        await startRetention({ pool, clickhouse, logger: log })();
        return (await keptDays()) === wanted;
      }, goneMsMax);
    }
  });
});
