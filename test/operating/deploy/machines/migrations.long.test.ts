import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import { describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../../infra/migrations/migrate.ts';
import { administer, log, OwnDatabase } from './databases.ts';

/*
 * An upgrade from each schema that was ever there, with rows in every table of that schema: each step is done alone,
 * rows are added to what it brought, and from a copy of that all further steps are done at once, as an upgrade does
 * them. The last schema has all rows of the steps before.
 */

const dir = join(import.meta.dirname, '../../../../infra/migrations/postgres');
const steps = readdirSync(dir)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.replace('.sql', ''))
  .toSorted();

const id = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const [user, org, group, profile, thing, gone, webhook] = [1, 2, 3, 4, 5, 6, 7].map(id);
const thingRow = (of: string | undefined, name: string) =>
  `INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed)
   VALUES ('${of}', '${group}', '${profile}', '${name}', 'sensor', '${name} lookup', '${name} sealed')`;
const tree = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const authority = `'\\x01'`;
const bundle = `'log', 1, 0, 10, '{0}', '{${thing}}', '{1000}', now(), 'bytes', 5`;

/** What is written into the schema of each step that brought tables, or changed what may stand in them. */
const rows: Readonly<Record<string, string[]>> = {
  '0001_management': [
    `INSERT INTO users (id, email, password_hash) VALUES ('${user}', 'Ann@Example.com', 'hash')`,
    `INSERT INTO orgs (id, owner_id, name) VALUES ('${org}', '${user}', 'org')`,
    `INSERT INTO org_memberships (org_id, member_id, role) VALUES ('${org}', '${user}', 'owner')`,
    `INSERT INTO groups (id, org_id, name) VALUES ('${group}', '${org}', 'group')`,
    `INSERT INTO group_memberships (group_id, member_id, role) VALUES ('${group}', '${user}', 'owner')`,
    `INSERT INTO profiles (id, group_id, name, config) VALUES ('${profile}', '${group}', 'p', '{"a": 1}')`,
    thingRow(thing, 'thing'),
    `UPDATE profiles SET config = '{"a": 2}'`,
  ],
  '0002_people_and_trees': [
    `INSERT INTO api_keys (id, issuer_id, value_hash) VALUES ('${id(10)}', '${user}', 'value'), ('${id(11)}', '${user}', 'other')`,
    `INSERT INTO org_invites (id, org_id, inviter_id, invitee_id, role, expires_at)
     VALUES ('${id(12)}', '${org}', '${user}', '${user}', 'viewer', now() + interval '1 day')`,
    `INSERT INTO org_invite_groups VALUES ('${id(12)}', '${group}', 'viewer')`,
    `INSERT INTO platform_invites (id, inviter_id, invitee_email, expires_at)
     VALUES ('${id(13)}', '${user}', 'Bob@Example.com', now() + interval '1 day')`,
    `INSERT INTO platform_invite_groups VALUES ('${id(13)}', '${group}', 'viewer')`,
    `INSERT INTO mail_outbox (id, message) VALUES ('${id(14)}', '{}')`,
    `INSERT INTO tree_groups (id, owner_id, name, path) VALUES ('${tree}', '${user}', 'tree', '{${tree}}')`,
    `INSERT INTO tree_members (group_id, member_id, type) VALUES ('${tree}', '${thing}', 'things')`,
    thingRow(gone, 'gone'),
    `DELETE FROM things WHERE id = '${gone}'`,
    // As large as it could be then.
    `UPDATE groups SET metadata = json_build_object('long', repeat('x', 2000000))`,
  ],
  '0003_logs': [
    `INSERT INTO logs (id, settled) VALUES ('${id(20)}', 7)`,
    `SELECT nextval('log_barriers')`,
  ],
  '0006_restores': [`INSERT INTO restores (id, formats) VALUES ('${'0'.repeat(32)}', '{senml}')`],
  '0007_retention': [
    `UPDATE orgs SET retention_days = 30`,
    `INSERT INTO retention_sweeps (swept_at) VALUES (now())`,
  ],
  '0008_certificates': [
    `INSERT INTO certificate_authorities (id, chain) VALUES (${authority}, '{pem}')`,
    `INSERT INTO certificates (serial, authority_id, thing_id, fingerprint, certificate, key_type, key_bits, issued_at, expires_at)
     VALUES ('01${'0'.repeat(32)}', ${authority}, '${thing}', 'print', 'pem', 'ecdsa', 256, now(), now())`,
  ],
  '0009_webhooks': [
    `INSERT INTO webhooks (id, thing_id, name, url, secret_sealed)
     VALUES ('${webhook}', '${thing}', 'hook', 'http://a.b/c', 'sealed')`,
    `INSERT INTO webhook_messages VALUES ('message', '${thing}', 'application/json', '{}', now())`,
    `INSERT INTO webhook_deliveries (webhook_id, message_id, attempt, tried_at, duration_ms)
     VALUES ('${webhook}', 'message', 1, now(), 5)`,
  ],
  '0010_webhook_packs': [
    `INSERT INTO webhook_packs (log_id, segment, first_offset, last_offset, offsets, thing_ids, received_ms, received_at, frames, bytes)
     VALUES (${bundle})`,
  ],
  '0013_webhook_shares': [
    `INSERT INTO webhook_jobs VALUES ('job', '${org}', '${webhook}', 'log', 1, 0, 10, '{0}', 5, 1, '', now())`,
    `INSERT INTO webhook_packs (log_id, segment, first_offset, last_offset, offsets, thing_ids, received_ms, received_at,
       frames, bytes, org_ids, org_copies, org_bytes)
     VALUES (${bundle.replace(`'log', 1`, `'log', 2`)}, '{${org}}', '{1}', '{5}')`,
  ],
  '0020_revoked_keys': [`DELETE FROM api_keys WHERE id = '${id(11)}'`],
  '0022_webhook_places': [
    `INSERT INTO webhooks (id, org_id, name, url) VALUES ('${id(30)}', '${org}', 'of all', 'http://a.b/c')`,
  ],
  '0023_things_seen': [`INSERT INTO things_seen VALUES ('${thing}', now())`],
  '0028_quotas': [
    `INSERT INTO org_quotas (org_id, things) VALUES ('${org}', 10)`,
    `INSERT INTO org_usage VALUES ('${org}', '2026-11-01', 1, 1)`,
  ],
  '0029_process_history': [
    `INSERT INTO processes VALUES ('id', 'edge', 'edge', '0.1.0', now(), now(), NULL, '{}', '[]', 15, '{}')`,
    `INSERT INTO process_history VALUES (15, now(), 'id', 'edge', 15, '{}')`,
  ],
  '0032_sessions': [
    `INSERT INTO sessions (id, user_id, value_hash, token_generation, expires_at, address, user_agent)
     VALUES ('${id(31)}', '${user}', 'value', 0, now() + interval '1 day', '192.0.2.7', 'a browser')`,
  ],
};

/** How many rows each table has. */
async function counts({
  rows: ask,
}: {
  rows: OwnDatabase['rows'];
}): Promise<Record<string, number>> {
  const tables = await ask(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
  );
  const all = tables.map(async ({ name }) => {
    const [row] = await ask(`SELECT count(*)::integer AS count FROM ${String(name)}`);
    return [String(name), Number(row?.['count'])] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** What no step may change in a row that was there from the first schema on. */
const people = `SELECT users.email, orgs.name AS org, groups.name AS grp, profiles.config, things.id, things.key_lookup, things.key_sealed
  FROM users, orgs, groups, profiles, things`;

/** Tables that a later step takes away, and those that are filled by triggers or by the step that makes them. */
const goneLater = ['webhook_messages'];

describe('an upgrade of PostgreSQL with rows in every table', () => {
  it('leads from each schema to the last one, and keeps the rows', async () => {
    const stepped = await OwnDatabase.create('millrace_steps_test', { migrated: false });
    const ask = { rows: (text: string) => stepped.rows(text) };
    let first: unknown;
    for (const step of steps) {
      await runner({
        databaseUrl: stepped.url,
        dir,
        direction: 'up',
        migrationsTable: 'migrations',
        count: 1,
        log: () => undefined,
      });
      for (const statement of rows[step] ?? []) await stepped.rows(statement);
      first ??= await stepped.rows(people);
      expect([step, await stepped.rows(people)]).toEqual([step, first]);
      const here = await counts(ask);
      await stepped.client.end();
      await administer('DROP DATABASE IF EXISTS millrace_steps_copy');
      await administer('CREATE DATABASE millrace_steps_copy TEMPLATE millrace_steps_test');
      const upgraded = await OwnDatabase.open('millrace_steps_copy');
      await migratePostgres(upgraded.url, log);
      expect([step, await upgraded.rows(people)]).toEqual([step, first]);
      const there = await counts({ rows: (text) => upgraded.rows(text) });
      for (const [table, count] of Object.entries(here)) {
        if (!goneLater.includes(table))
          expect([step, table, there[table]]).toEqual([step, table, count]);
      }
      await upgraded.drop();
      await stepped.reconnect();
    }
    // Each table had a row on the way, or nothing would have been tried.
    const last = await counts(ask);
    expect(Object.entries(last).filter(([, count]) => count === 0)).toEqual([]);
    await stepped.drop();
  });

  it('is one transaction: a step that fails leaves the schema as it was', async () => {
    const database = await OwnDatabase.create('millrace_steps_test', { migrated: false });
    // In the way of the fourth step.
    await database.rows('CREATE TABLE restores (id text)');
    await expect(migratePostgres(database.url, log)).rejects.toThrow('already exists');
    const tables = await database.rows(`SELECT FROM pg_tables WHERE tablename = 'users'`);
    expect(tables).toEqual([]);
    await database.drop();
  });
});
