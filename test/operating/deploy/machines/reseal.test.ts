import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resealKeys } from '../../../../infra/migrations/reseal.ts';
import { Secret } from '../../../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../../../infra/runtime/process/secrets.ts';
import { log, OwnDatabase } from './databases.ts';

const first = new Secret('the first secret of the keys');
const second = new Secret('the second secret of the keys');
const third = new Secret('the third secret of the keys');
const before = createKeyVault(first);
const now = createKeyVault(second);
const [user, org, group, profile, ...things] = Array.from({ length: 7 }, randomUUID);
const webhook = randomUUID();

let database: OwnDatabase;

beforeAll(async () => {
  database = await OwnDatabase.create('millrace_reseal_test');
  await database.rows(`INSERT INTO users (id, email, password_hash) VALUES ($1, 'a@b.c', '')`, [
    user,
  ]);
  await database.rows(`INSERT INTO orgs (id, owner_id, name) VALUES ($1, $2, 'org')`, [org, user]);
  await database.rows(`INSERT INTO groups (id, org_id, name) VALUES ($1, $2, 'g')`, [group, org]);
  await database.rows(`INSERT INTO profiles (id, group_id, name) VALUES ($1, $2, 'p')`, [
    profile,
    group,
  ]);
  for (const [at, id] of things.entries()) {
    const external = at === 0 ? undefined : `external-${at}`;
    await database.rows(
      `INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed,
                           external_key_lookup, external_key_sealed)
       VALUES ($1, $2, $3, $4, 'sensor', $5, $6, $7, $8)`,
      [
        id,
        group,
        profile,
        `thing ${at}`,
        before.lookup('internal', `key-${at}`),
        before.seal(`key-${at}`),
        external && before.lookup('external', external),
        external && before.seal(external),
      ],
    );
  }
  await database.rows(
    `INSERT INTO webhooks (id, thing_id, name, url, secret_sealed, headers_sealed)
     VALUES ($1, $2, 'hook', 'http://a.b/c', $3, $4)`,
    [webhook, things[0], before.seal('shared'), before.seal('{"X-A":"b"}')],
  );
});

afterAll(() => database.drop());

const opened = (sealed: unknown) => (sealed instanceof Buffer ? now.open(sealed) : sealed);

async function everything() {
  return [
    await database.rows('SELECT * FROM things ORDER BY name'),
    await database.rows('SELECT * FROM webhooks'),
    await database.rows('SELECT count(*) FROM audit_entries'),
  ] as const;
}

it('another SECRET_KEY opens and finds every key after the migration, and it is no change of a thing', async () => {
  const [, , told] = await everything();
  await resealKeys(database.url, first, second, log);
  const [rows, [hook], toldAfter] = await everything();
  expect(rows).toHaveLength(things.length);
  for (const [at, row] of rows.entries()) {
    expect(opened(row['key_sealed'])).toBe(`key-${at}`);
    expect(row['key_lookup']).toEqual(now.lookup('internal', `key-${at}`));
    if (at === 0) expect(row['external_key_sealed']).toBeNull();
    else {
      expect(opened(row['external_key_sealed'])).toBe(`external-${at}`);
      expect(row['external_key_lookup']).toEqual(now.lookup('external', `external-${at}`));
    }
  }
  expect(opened(hook?.['secret_sealed'])).toBe('shared');
  expect(opened(hook?.['headers_sealed'])).toBe('{"X-A":"b"}');
  expect(toldAfter).toEqual(told);
  await database.rows(`UPDATE things SET name = 'changed' WHERE id = $1`, [things[2]]);
  expect(await database.rows('SELECT count(*) FROM audit_entries')).not.toEqual(told);
});

it('a second time nothing changes, and with a wrong secret neither', async () => {
  const was = await everything();
  await resealKeys(database.url, first, second, log);
  expect(await everything()).toEqual(was);
  await expect(resealKeys(database.url, first, third, log)).rejects.toThrow('nothing was changed');
  expect(await everything()).toEqual(was);
});
