import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migratePostgres, postgresDir } from '../../../../infra/migrations/migrate.ts';
import { administer, log, OwnDatabase } from './databases.ts';

/*
 * Upgrades of a database that has rows in every table, from the baseline on. Each later step is done alone, its rows are
 * added to what it brought, and from a copy of that all further steps are done at once, as an upgrade does them.
 */

/** The last file of the baseline. Whatever comes after it is an upgrade. */
const baselineEnd = '0013_process_history.sql';
const files = readdirSync(postgresDir)
  .filter((name) => name.endsWith('.sql'))
  .toSorted();

const id = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const [user, org, group, profile, thing, gone, webhook] = [1, 2, 3, 4, 5, 6, 7].map(id);
const thingRow = (of: string | undefined, name: string) =>
  `INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed)
   VALUES ('${of}', '${group}', '${profile}', '${name}', 'sensor', '${name} lookup', '${name} sealed')`;
const tree = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const authority = `'\\x01'`;

/** Rows of every table of the baseline. */
const baselineRows = [
  `INSERT INTO users (id, email, password_hash) VALUES ('${user}', 'Ann@Example.com', 'hash')`,
  `INSERT INTO api_keys (id, issuer_id, value_hash)
   VALUES ('${id(10)}', '${user}', 'value'), ('${id(11)}', '${user}', 'other')`,
  `DELETE FROM api_keys WHERE id = '${id(11)}'`,
  `INSERT INTO sessions (id, user_id, value_hash, token_generation, expires_at, address, user_agent)
   VALUES ('${id(31)}', '${user}', 'value', 0, now() + interval '1 day', '192.0.2.7', 'a browser')`,
  `INSERT INTO orgs (id, owner_id, name, retention_days) VALUES ('${org}', '${user}', 'org', 30)`,
  `INSERT INTO org_memberships (org_id, member_id, role) VALUES ('${org}', '${user}', 'owner')`,
  // As large as it may be.
  `INSERT INTO groups (id, org_id, name, metadata)
   VALUES ('${group}', '${org}', 'group', json_build_object('long', repeat('x', 73714)))`,
  `INSERT INTO group_memberships (group_id, member_id, role) VALUES ('${group}', '${user}', 'owner')`,
  `INSERT INTO org_invites (id, org_id, inviter_id, invitee_id, role, expires_at)
   VALUES ('${id(12)}', '${org}', '${user}', '${user}', 'viewer', now() + interval '1 day')`,
  `INSERT INTO org_invite_groups VALUES ('${id(12)}', '${group}', 'viewer')`,
  `INSERT INTO platform_invites (id, inviter_id, invitee_email, expires_at)
   VALUES ('${id(13)}', '${user}', 'Bob@Example.com', now() + interval '1 day')`,
  `INSERT INTO platform_invite_groups VALUES ('${id(13)}', '${group}', 'viewer')`,
  `INSERT INTO mail_outbox (id, message) VALUES ('${id(14)}', '{}')`,
  `INSERT INTO tree_groups (id, owner_id, name, path) VALUES ('${tree}', '${user}', 'tree', '{${tree}}')`,
  `INSERT INTO tree_members (group_id, member_id, type) VALUES ('${tree}', '${thing}', 'things')`,
  `INSERT INTO profiles (id, group_id, name, config) VALUES ('${profile}', '${group}', 'p', '{"a": 1}')`,
  thingRow(thing, 'thing'),
  thingRow(gone, 'gone'),
  `DELETE FROM things WHERE id = '${gone}'`,
  `INSERT INTO things_seen VALUES ('${thing}', now())`,
  `INSERT INTO things_refused VALUES ('${thing}', 1, now(), now(), 'record 0')`,
  `INSERT INTO certificate_authorities (id, chain) VALUES (${authority}, '{pem}')`,
  `INSERT INTO certificates (serial, authority_id, thing_id, fingerprint, certificate, key_type, key_bits, issued_at, expires_at)
   VALUES ('01${'0'.repeat(32)}', ${authority}, '${thing}', 'print', 'pem', 'ecdsa', 256, now(), now())`,
  `INSERT INTO webhooks (id, thing_id, name, url, secret_sealed)
   VALUES ('${webhook}', '${thing}', 'hook', 'http://a.b/c', 'sealed')`,
  `INSERT INTO webhooks (id, org_id, name, url) VALUES ('${id(30)}', '${org}', 'of all', 'http://a.b/c')`,
  `INSERT INTO webhook_bundles (log_id, segment, first_offset, last_offset, offsets, thing_ids, received_ms, received_at,
     frames, bytes, org_ids, org_bytes)
   VALUES ('log', 1, 0, 10, '{0}', '{${thing}}', '{1000}', now(), 'bytes', 5, '{${org}}', '{5}')`,
  `INSERT INTO webhook_logs VALUES ('log', 1, 20)`,
  `INSERT INTO webhook_jobs (id, kind, org_id, webhook_id, log_id, segment, first_offset, last_offset, offsets, deliveries, bytes,
     attempts, due_at)
   VALUES ('job', 'single', '${org}', '${webhook}', 'log', 1, 0, 10, '{0}', 1, 5, 1, now())`,
  `INSERT INTO webhook_deliveries (webhook_id, message_id, attempt, tried_at, duration_ms)
   VALUES ('${webhook}', 'message', 1, now(), 5)`,
  `INSERT INTO logs (id, settled) VALUES ('${id(20)}', 7)`,
  `INSERT INTO restores (id, formats) VALUES ('${'0'.repeat(32)}', '{senml}')`,
  `INSERT INTO retention_sweeps (swept_at) VALUES (now())`,
  `INSERT INTO org_quotas (org_id, things) VALUES ('${org}', 10)`,
  `INSERT INTO org_usage VALUES ('${org}', '2026-11-01', 1, 1)`,
  `INSERT INTO processes VALUES ('id', 'edge', 'edge', '0.1.0', now(), now(), NULL, '{}', '[]', 15, '{}')`,
  `INSERT INTO process_history VALUES (15, now(), 'id', 'edge', 15, '{}')`,
];

/** Rows of what a later step brought, or of what may stand in a table since then, by the file of the step. */
const laterRows: Readonly<Record<string, string[]>> = {};

/** How many rows each table has. */
async function counts(database: OwnDatabase): Promise<Record<string, number>> {
  const tables = await database.rows(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
  );
  const all = tables.map(async ({ name }) => {
    const [row] = await database.rows(`SELECT count(*)::integer AS count FROM ${String(name)}`);
    return [String(name), Number(row?.['count'])] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** No step may change this. */
const people = `SELECT users.email, orgs.name AS org, groups.name AS grp, profiles.config, things.id, things.key_lookup, things.key_sealed
  FROM users, orgs, groups, profiles, things`;

/** A folder with the steps up to `last`, and those of a test. */
function folderOf(last: string, own: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-steps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of files) {
    if (file <= last) cpSync(join(postgresDir, file), join(folder, file));
  }
  for (const [name, text] of Object.entries(own)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A database at the baseline, with rows in every table. */
async function atBaseline(): Promise<OwnDatabase> {
  const database = await OwnDatabase.create('millrace_steps_test', { migrated: false });
  await migratePostgres(database.url, log, folderOf(baselineEnd));
  for (const statement of baselineRows) await database.rows(statement);
  // Nothing would be tried with a table that has no row.
  const empty = Object.entries(await counts(database)).filter(([, count]) => count === 0);
  expect(empty).toEqual([]);
  return database;
}

describe('an upgrade of PostgreSQL with rows in every table', () => {
  it('leads from each schema to the last one, and keeps the rows', async () => {
    const stepped = await atBaseline();
    const first = await stepped.rows(people);
    for (const step of files.filter((file) => file >= baselineEnd)) {
      await migratePostgres(stepped.url, log, folderOf(step));
      for (const statement of laterRows[step] ?? []) await stepped.rows(statement);
      expect([step, await stepped.rows(people)]).toEqual([step, first]);
      const here = await counts(stepped);
      await stepped.client.end();
      await administer('DROP DATABASE IF EXISTS millrace_steps_copy');
      await administer('CREATE DATABASE millrace_steps_copy TEMPLATE millrace_steps_test');
      const upgraded = await OwnDatabase.open('millrace_steps_copy');
      await migratePostgres(upgraded.url, log);
      expect([step, await upgraded.rows(people)]).toEqual([step, first]);
      expect([step, await counts(upgraded)]).toEqual([step, expect.objectContaining(here)]);
      await upgraded.drop();
      await stepped.reconnect();
    }
    await stepped.drop();
  });

  it('does only the steps after those that are done', async () => {
    const database = await atBaseline();
    const next = 'ALTER TABLE things ADD COLUMN made_by text NOT NULL DEFAULT now()::text';
    await migratePostgres(database.url, log, folderOf(baselineEnd, { '0014_next.sql': next }));
    const [before] = await database.rows('SELECT made_by FROM things');
    await migratePostgres(database.url, log, folderOf(baselineEnd, { '0014_next.sql': next }));
    expect(await database.rows('SELECT made_by FROM things')).toEqual([before]);
    await database.drop();
  });

  it('is one transaction: a step that fails leaves the schema as it was', async () => {
    const database = await atBaseline();
    const folder = folderOf(baselineEnd, {
      '0014_next.sql': 'ALTER TABLE things ADD COLUMN made_by text',
      '0015_broken.sql': 'CREATE TABLE restores (id text)',
    });
    await expect(migratePostgres(database.url, log, folder)).rejects.toThrow('already exists');
    const columns = `SELECT FROM information_schema.columns WHERE column_name = 'made_by'`;
    expect(await database.rows(columns)).toEqual([]);
    await database.drop();
  });
});
