import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { fillStore } from '../support/messages/stored.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const records = Number(process.env['FAULTS_RECORDS'] ?? 10_000_000);
const things = 100;
const names = 20;

let system: OwnSystem;
let fleet: Fleet;
let clickhouse: ClickHouseClient;
let failed = false;
let publishers: string[];
let restingMiB: number;

beforeAll(async () => {
  system = await startSystem();
  fleet = await Fleet.login(system);
  const { profileId } = await fleet.thing();
  const list = Array.from({ length: things }, (_, i) => ({ name: `${i}`, type: 'sensor' }));
  publishers = (await fleet.createThings(profileId, list)).map(({ id }) => id);
  clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-test', 600_000);
  await fillStore(clickhouse, 'senml', {
    things: publishers,
    names,
    everySeconds: 60,
    rounds: records / things / names,
    begin: 1_700_000_000,
  });
  restingMiB = residentMiB(await system.pid('api'));
}, 1_200_000);

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await clickhouse.close();
  await fleet.close();
  await system.stop(failed);
});

async function ask(query: string): Promise<string> {
  const result = await clickhouse.query({ query, format: 'TabSeparated' });
  return (await result.text()).trim();
}

/** The same for the same rows, in whatever order. */
const contents = (table: string, time: string) =>
  ask(`SELECT count(), sum(cityHash64(toString(publisher), name, ${time}, value)) FROM ${table}`);

async function openExport(query: string): Promise<Readable> {
  const answer = await request(`${system.apiUrl}/reader/senml/export?${query}`, {
    headers: { authorization: `Bearer ${fleet.token}` },
    headersTimeout: 300_000,
  });
  expect(answer.statusCode).toBe(200);
  return answer.body;
}

function residentMiB(pid: number): number {
  const [, kibibytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}

const formats = {
  json: 'JSONEachRow',
  ndjson: 'JSONEachRow',
  csv: 'CSVWithNames',
  parquet: 'Parquet',
  arrow: 'ArrowStream',
};
const typed = ['Parquet', 'ArrowStream'];

describe('an export', () => {
  const pid = () => system.pid('api');

  it.for(Object.entries(formats))(
    'as %s holds the same rows as the store, in bounded memory',
    async ([convert, format]) => {
      const copy = `copy_${convert}`;
      await clickhouse.command({
        query: `CREATE TABLE ${copy} (publisher UUID, name LowCardinality(String),
                  time ${typed.includes(format) ? "DateTime64(9, 'UTC')" : 'Decimal128(9)'}, value Float64)
                ENGINE = MergeTree ORDER BY tuple()`,
      });
      const file = await openExport(`convert=${convert}`);
      let most = 0;
      const api = await pid();
      const watch = setInterval(() => {
        most = Math.max(most, residentMiB(api));
      }, 100);
      try {
        // ClickHouse reads its own formats back: what came through is compared without a row of it here.
        const { stream } = await clickhouse.exec({
          query: `INSERT INTO ${copy} FORMAT ${format}`,
          values: file,
          clickhouse_settings: { input_format_skip_unknown_fields: 1 },
        });
        await finished(stream.resume());
      } finally {
        clearInterval(watch);
      }
      const time = typed.includes(format)
        ? 'toUnixTimestamp64Nano(time)'
        : 'toInt64(time * 1000000000)';
      expect(await contents(copy, time)).toBe(await contents('senml', 'time'));
      const more = most - restingMiB;
      process.stdout.write(
        `${convert}: the API held at most ${most.toFixed(0)} MiB, ${more.toFixed(0)} more than before\n`,
      );
      expect(more).toBeLessThan(64);
      expect(most).toBeLessThan(200);
      await clickhouse.command({ query: `DROP TABLE ${copy}` });
    },
  );

  const running = () =>
    ask(`SELECT count() FROM system.processes WHERE query LIKE '%FORMAT CSV%' AND is_initial_query
         AND query NOT LIKE '%system.processes%'`);

  it('ends its query when its client leaves', async () => {
    const file = await openExport('convert=csv');
    await new Promise((resolve) => file.once('readable', resolve));
    expect(await running()).toBe('1');
    file.destroy();
    await eventually(async () => (await running()) === '0');
  });

  it.for(Object.keys(formats))(
    'as %s is never taken for complete when ClickHouse is killed meanwhile',
    async (convert) => {
      const file = await openExport(`convert=${convert}`);
      let bytes = 0;
      const whole = (async () => {
        for await (const chunk of file) {
          bytes += Buffer.byteLength(chunk);
          if (bytes > 20_000_000 && bytes - Buffer.byteLength(chunk) <= 20_000_000) {
            await system.kill('clickhouse', 'SIGKILL');
          }
        }
      })();
      await expect(whole).rejects.toThrow(/terminated|aborted|closed|socket/i);
      await eventually(async () => (await ask('SELECT 1')) === '1', 60_000);
    },
  );
});

describe('a deletion', () => {
  it('during which ClickHouse is killed is either refused or done, and deletes nothing else', async () => {
    const rest = (id: string) =>
      ask(`SELECT count(), sum(cityHash64(*)) FROM senml WHERE publisher != '${id}'`);
    for (const id of publishers.slice(0, 5)) {
      const before = await rest(id);
      const answer = fleet.call('DELETE', `/reader/senml/${id}`);
      await system.kill('clickhouse', 'SIGKILL');
      const { status } = await answer;
      expect([204, 503]).toContain(status);
      await eventually(async () => (await ask('SELECT 1')) === '1', 60_000);
      expect(await rest(id)).toBe(before);
      await eventually(async () => {
        const again = await fleet.call('DELETE', `/reader/senml/${id}`);
        return again.status === 204;
      }, 60_000);
      expect(await ask(`SELECT count() FROM senml WHERE publisher = '${id}'`)).toBe('0');
      expect(await rest(id)).toBe(before);
    }
  });
});
