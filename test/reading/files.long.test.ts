import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { sortedInMemoryBytesMax } from '../../api/messages/store/settings.ts';
import { openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { createEstate, createThings, loginAdmin } from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { download, inDuckDb } from './exported.ts';

it('an export in the order of time is sorted on the disk where a day of it is too large for memory', async () => {
  const admin = await loginAdmin();
  const two = await createEstate(admin);
  const [shared] = await createThings(admin, two.profileId, [{ name: 'other', type: 'device' }]);
  const things = [two.thingId, shared?.id ?? ''];
  const name = randomUUID();
  const textBytes = 100_000;
  const some = Math.ceil((1.05 * sortedInMemoryBytesMax) / textBytes);
  const rows = Math.ceil((2 * sortedInMemoryBytesMax) / textBytes);
  const begin = 1_700_000_000;
  const clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 60_000);
  const sortedOnDisk = async () => {
    const query = `SELECT sum(value) FROM system.events WHERE event = 'ExternalSortWritePart'`;
    return Number(await (await clickhouse.query({ query, format: 'TabSeparated' })).text());
  };
  try {
    // By turns of both things, which are stored one after the other.
    await clickhouse.command({
      query: `INSERT INTO senml (publisher, protocol, name, time, kind, text)
              SELECT {things:Array(UUID)}[number % 2 + 1], 'http', {name:String},
                     ({begin:UInt32} + number) * 1000000000, 'string',
                     concat(toString(number), repeat('x', {textBytes:UInt32}))
              FROM numbers({rows:UInt32})`,
      query_params: { things, name, begin, textBytes, rows },
    });
    const before = await sortedOnDisk();
    const path = `/reader/senml/export?name=${name}&order=time`;
    const end = `${begin + some - 1}000000000`;
    const file = await request(`${system().apiUrl}${path}&convert=ndjson&to=${end}`, {
      headers: { authorization: admin },
    });
    const times: number[] = [];
    const publishers = new Set<unknown>();
    for await (const line of createInterface({ input: file.body })) {
      const { time, publisher } = JSON.parse(line);
      times.push(time);
      publishers.add(publisher);
    }
    expect(times).toEqual(Array.from({ length: some }, (_, i) => begin + some - 1 - i));
    expect(publishers).toEqual(new Set(things));
    expect(await sortedOnDisk()).toBeGreaterThan(before);
    // More than ClickHouse may hold of it; a file of types is put together before it is written.
    const parquet = await download(admin, `${path}&dir=asc&convert=parquet`);
    expect(parquet.status).toBe(200);
    const stored = await inDuckDb(
      parquet.bytes,
      'sorted.parquet',
      (from) =>
        `SELECT epoch(time)::INTEGER, publisher, length(string_value)::INTEGER FROM ${from}`,
    );
    const expected = Array.from({ length: rows }, (_, i) => [
      begin + i,
      things[i % 2],
      String(i).length + textBytes,
    ]);
    expect(stored).toEqual(expected);
  } finally {
    await clickhouse.command({
      query: `DELETE FROM ${onShards(clickhouse.cluster, 'senml')} WHERE publisher IN {things:Array(UUID)}`,
      query_params: { things },
    });
    await clickhouse.close();
  }
});
