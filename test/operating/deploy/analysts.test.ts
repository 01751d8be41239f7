import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, startClickHouse } from '../../support/services/embedded-clickhouse.ts';
import { migrateClickHouse } from '../../../infra/migrations/migrate.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { read } from './files.ts';

/*
 * analysts.sql on the embedded engine: its views. The engine makes no users, so of what concerns them only is tried that
 * the engine reads it, and refuses it for that reason.
 */

const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
let clickhouse: Running;

beforeAll(async () => {
  clickhouse = await startClickHouse(directory);
  await migrateClickHouse(`${clickhouse.url}/millrace`, createLog('migrate', 'fatal'));
});
afterAll(async () => {
  await clickhouse.end('SIGTERM');
  rmSync(directory, { recursive: true });
});

async function ask(query: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${clickhouse.url}/?param_password=secret`, {
    method: 'POST',
    body: query,
  });
  return { status: answer.status, text: await answer.text() };
}

const statements = read('clickhouse/analysts.sql')
  .split(/;\s*$/m)
  .map((text) => text.replaceAll(/^\s*--.*$/gm, '').trim())
  .filter((text) => text !== '');
const isOfUsers = (text: string) => /^(GRANT|CREATE (SETTINGS PROFILE|QUOTA|USER)) /.test(text);

async function rows(query: string): Promise<unknown[]> {
  const { text } = await ask(`${query} FORMAT JSONEachRow`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

describe('analysts.sql', () => {
  it('creates its views, also a second time', async () => {
    for (const text of [...statements, ...statements].filter((one) => !isOfUsers(one))) {
      expect([text, await ask(text)]).toEqual([text, { status: 200, text: '' }]);
    }
  });

  it('shows each kind of value in a column of its own', async () => {
    const thing = '00000000-0000-4000-8000-000000000001';
    const values = [
      `('${thing}', 'hall', 'http', 't', 'Cel', 1795341376123456789, 'value', 21.5, '', NULL)`,
      `('${thing}', 'hall', 'http', 'b', '', 1795341376000000000, 'bool', 0, '', NULL)`,
      `('${thing}', 'hall', 'http', 's', '', 1795341376000000000, 'string', 0, 'open', NULL)`,
      `('${thing}', 'hall', 'http', 'd', '', 1795341376000000000, 'data', 0, 'aGk', NULL)`,
      `('${thing}', 'hall', 'http', 'n', '', 1795341376000000000, 'none', 0, '', 7)`,
    ];
    const insert = `INSERT INTO millrace.senml
      (publisher, subtopic, protocol, name, unit, time, kind, given, text, sum) VALUES ${values.join()}`;
    expect(await ask(insert)).toMatchObject({ status: 200 });
    const none = { value: null, bool_value: null, string_value: null, data_value: null, sum: null };
    expect(await rows('SELECT * FROM millrace_analysts.senml ORDER BY name')).toMatchObject([
      { ...none, name: 'b', kind: 'bool', bool_value: 0 },
      { ...none, name: 'd', kind: 'data', data_value: 'aGk' },
      { ...none, name: 'n', kind: 'none', sum: 7 },
      { ...none, name: 's', kind: 'string', string_value: 'open' },
      {
        ...none,
        thing_id: thing,
        subtopic: 'hall',
        name: 't',
        unit: 'Cel',
        value: 21.5,
        time: '2026-11-22 09:56:16.123456789',
        time_ns: expect.anything(),
      },
    ]);
    const wrong = 'SELECT count() AS n FROM millrace_analysts.senml WHERE bool_value';
    expect(await rows(wrong)).toMatchObject([
      { n: expect.toSatisfy((n: unknown) => Number(n) === 0) },
    ]);
  });

  it('shows JSON messages, and which group a thing is in', async () => {
    const thing = '00000000-0000-4000-8000-000000000002';
    const group = '00000000-0000-4000-8000-000000000003';
    await ask(`INSERT INTO millrace.json (publisher, subtopic, protocol, created, payload)
      VALUES ('${thing}', '', 'http', 1795341376000000000, '{"a":1}')`);
    await ask(`INSERT INTO millrace.publishers VALUES ('${group}', '${thing}', 1, 0)`);
    expect(
      await rows(`SELECT j.time AS time, JSONExtractInt(payload, 'a') AS a, toString(group_id) AS group_id
        FROM millrace_analysts.json AS j JOIN millrace_analysts.things AS t ON t.thing_id = j.thing_id`),
    ).toMatchObject([{ time: '2026-11-22 09:56:16.000000000', group_id: group }]);
  });

  it('reads only the days of the query', async () => {
    const [hour, from] = [3_600_000_000_000n, 1795305600000000000n];
    await ask(`INSERT INTO millrace.senml (publisher, name, time, kind, given)
      SELECT generateUUIDv4(), 'many', ${from} + number % 720 * ${hour}, 'value', 1 FROM numbers(100000)`);
    const plan = await ask(`EXPLAIN indexes = 1 SELECT avg(value) FROM millrace_analysts.senml
      WHERE day BETWEEN ${from / (24n * hour)} AND ${from / (24n * hour) + 1n}`);
    const granules = [...plan.text.matchAll(/Granules: (\d+)\/(\d+)/g)].map(([, read_, all]) => [
      Number(read_),
      Number(all),
    ]);
    expect(
      granules.some(([some = 0, all = 0]) => some * 3 < all),
      plan.text,
    ).toBe(true);
  });

  it('names settings that ClickHouse has', async () => {
    const profile = statements.find((text) => text.startsWith('CREATE SETTINGS PROFILE')) ?? '';
    const names = [...profile.matchAll(/^ +(\w+) = /gm)].map(([, name = '']) => name);
    expect(names).toContain('readonly');
    const known = await rows('SELECT name FROM system.settings');
    for (const name of names) expect(known).toContainEqual({ name });
  });

  it.each(statements.filter(isOfUsers))(
    'has statements that ClickHouse parses: %s',
    async (text) => {
      // 497 is ACCESS_DENIED and 511 UNKNOWN_ROLE; a mistake in the text would be 62, SYNTAX_ERROR.
      expect((await ask(text)).text).toMatch(/^Code: (497|511)\./);
    },
  );
});
