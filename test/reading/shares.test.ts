import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { onShards } from '../../infra/runtime/stores/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { at, call } from '../support/api/http.ts';
import {
  createEstate,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';

/** Far more than sockets hold. */
const rows = 40_000;
const rowBytes = 1_000;

let people: People;
let clickhouse: ClickHouseClient;
let owner: Person;
let large: Estate;
let other: Person;
let small: Estate;

beforeAll(async () => {
  people = new People();
  clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-test', 30_000);
  owner = await people.register();
  large = await createEstate(owner.as);
  other = await people.register();
  small = await createEstate(other.as);
  await clickhouse.command({
    query: `INSERT INTO json (publisher, protocol, created, payload)
            SELECT {publisher:UUID}, 'http', 1700000000000000000 + number,
                   concat('{"text":"', repeat('x', ${rowBytes}), '"}')
            FROM numbers(${rows})`,
    query_params: { publisher: large.thingId },
  });
});

afterAll(async () => {
  await clickhouse.command({
    query: `DELETE FROM ${onShards(clickhouse.cluster, 'json')} WHERE publisher = {publisher:UUID}`,
    query_params: { publisher: large.thingId },
  });
  await clickhouse.close();
  await people.close();
});

/** Requests whose answers nobody reads; gives the statuses that came. */
function stall(paths: readonly string[], as: string) {
  const dispatcher = new Agent({ connections: null });
  const statuses: number[] = [];
  for (const path of paths) {
    void request(`${system().apiUrl}${path}`, { dispatcher, headers: { authorization: as } }).then(
      ({ statusCode }) => statuses.push(statusCode),
      () => undefined,
    );
  }
  return { statuses, leave: () => dispatcher.destroy() };
}

/** What the other tenant does meanwhile. */
async function everythingOf({ as }: Person, { key, thingId }: Estate): Promise<void> {
  const name = randomUUID();
  const publish = await call('POST', '/http/messages', {
    as: `Thing ${key}`,
    body: [{ n: name, v: 1 }],
    headers: { 'content-type': 'application/senml+json' },
  });
  expect(publish.status).toBe(202);
  await eventually(async () => {
    expect(at(await call('GET', `/reader/senml?name=${name}`, { as }), 'total')).toBe(1);
  }, 10_000);
  const file = await call('GET', `/reader/senml/export?publisher=${thingId}&convert=ndjson`, {
    as,
  });
  expect([file.status, file.text.includes(name)]).toEqual([200, true]);
}

describe('clients that read nothing of their response', () => {
  it('of ten exports with the key of one thing hold two, and delay nobody else', async () => {
    const exports = Array.from({ length: 10 }, () => '/reader/json/export?convert=ndjson');
    const stalled = stall(exports, `Thing ${large.key}`);
    await eventually(() => expect(stalled.statuses).toEqual([200, 200]));
    await everythingOf(other, small);
    await stalled.leave();
  });

  it('of large pages hold four, and delay nobody else', async () => {
    const pages = Array.from({ length: 10 }, () => '/reader/json?limit=1000&dir=asc');
    await clickhouse.command({
      query: `INSERT INTO json (publisher, protocol, created, payload)
              SELECT {publisher:UUID}, 'http', 1600000000000000000 + number,
                     concat('{"text":"', repeat('y', 50000), '"}')
              FROM numbers(1000)`,
      query_params: { publisher: large.thingId },
    });
    const stalled = stall(pages, `Thing ${large.key}`);
    await eventually(() => expect(stalled.statuses).toEqual([200, 200, 200, 200]));
    await everythingOf(other, small);
    await stalled.leave();
  });

  it('of four backups of the platform admin hold two, and delay nobody else', async () => {
    const backups = Array.from({ length: 4 }, () => '/reader/backup');
    const stalled = stall(backups, await loginAdmin());
    await eventually(() => expect(stalled.statuses).toEqual([200, 200]), 20_000);
    await everythingOf(other, small);
    await stalled.leave();
  });

  it('give their place to the next request when they leave', async () => {
    const path = '/reader/json/export?convert=ndjson';
    const stalled = stall([path, path], owner.as);
    await eventually(() => expect(stalled.statuses).toEqual([200, 200]));
    const next = stall([path], owner.as);
    await stalled.leave();
    await eventually(() => expect(next.statuses).toEqual([200]));
    await next.leave();
  });
});
