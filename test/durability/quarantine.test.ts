import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { call } from '../support/api/http.ts';
import { loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

let fleet: Fleet;
let clickhouse: ClickHouseClient;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 10_000);
  // The edge takes no record that the store refuses; so the store is made to refuse one name.
  await clickhouse.command({
    query: `ALTER TABLE ${onShards(clickhouse.cluster, 'senml')} ADD CONSTRAINT no_poison CHECK name != 'poison'`,
  });
});

afterAll(async () => {
  await clickhouse.command({
    query: `ALTER TABLE ${onShards(clickhouse.cluster, 'senml')} DROP CONSTRAINT no_poison`,
  });
  await clickhouse.close();
  await fleet.close();
});

async function quarantinedRecords(): Promise<number> {
  const text = await (await fetch(`${system().ingestUrl}/metrics`)).text();
  return Number(/^millrace_sink_quarantined_records_total\{sink="senml"\} (\d+)$/m.exec(text)?.[1]);
}

describe('a message that the store refuses for good', () => {
  it('is in the quarantine with its reason, and delays no other message', async () => {
    const thing = await fleet.thing();
    const others = await fleet.thing();
    const before = await quarantinedRecords();
    const sendAll = Array.from({ length: 300 }, (_, number) => [
      fleet.publish(others.key, [{ n: 'good', t: 1.6e9 + number, v: number }]),
      ...(number % 100 === 50
        ? [
            fleet.publish(thing.key, [
              { n: 'good', v: 1 },
              { n: 'poison', v: number },
            ]),
          ]
        : []),
    ]).flat();
    const statuses = (await Promise.all(sendAll)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([202]));

    await eventually(async () => (await fleet.stored(others.id)) === 300, 60_000);
    const path = join(system().dataDir, 'log/0/quarantine.ndjson');
    const entries = await eventually(() => {
      const lines = readFileSync(path, 'utf8').trim().split('\n');
      const own = lines.filter((line) => line.includes('no_poison'));
      expect(own.length).toBeGreaterThanOrEqual(3);
      return own.map((line): unknown => JSON.parse(line));
    });
    expect(entries).toHaveLength(3);
    for (const entry of entries) {
      expect(entry).toMatchObject({ sink: 'senml', records: 2, code: '469' });
      expect(entry).toMatchObject({ reason: expect.stringContaining('no_poison') });
    }
    // The message is taken or refused whole.
    expect(await fleet.stored(thing.id)).toBe(0);
    await eventually(async () => expect(await quarantinedRecords()).toBe(before + 6));
    const as = await loginAdmin();
    await eventually(async () => {
      const { text } = await call('GET', '/operations', { as });
      expect(text).toContain('no_poison');
    }, 30_000);
  });

  it('does not stop the sink', async () => {
    const thing = await fleet.thing();
    await fleet.publish(thing.key, [{ n: 'good', v: 1 }]);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(1));
  });
});
