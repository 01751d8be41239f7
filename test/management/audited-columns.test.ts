import { afterAll, describe, expect, it } from 'vitest';
import { auditKinds } from '../../schemas/resources/audit.ts';
import { operations } from '../../api/server/resources.ts';
import { People } from '../support/api/people.ts';

const people = new People();

afterAll(() => people.close());

/** The tables that the audit log watches, with the kind of their entries. */
const watched = `SELECT trigger.tgrelid AS of_table,
    convert_from(substring(trigger.tgargs FROM 1 FOR length(trigger.tgargs) - 1), 'UTF8') AS kind
  FROM pg_trigger AS trigger WHERE trigger.tgname = 'audit_made'`;

describe('the audit log', () => {
  it('says of each column of its tables if it tells of it: no new one is forgotten', async () => {
    const forgotten = await people.rows(
      `SELECT watched.of_table::regclass::text AS of_table, attribute.attname AS column_name
       FROM (${watched}) AS watched
       JOIN pg_attribute AS attribute
         ON attribute.attrelid = watched.of_table AND attribute.attnum > 0 AND NOT attribute.attisdropped
       LEFT JOIN audit_columns ON audit_columns.column_name = attribute.attname
       WHERE audit_columns.column_name IS NULL`,
      [],
    );
    expect(forgotten, 'give it a row in audit_columns, by a migration').toEqual([]);
  });

  it('says it of no column that is gone', async () => {
    const stale = await people.rows(
      `SELECT column_name FROM audit_columns WHERE column_name NOT IN (
         SELECT attname FROM (${watched}) AS watched
         JOIN pg_attribute ON attrelid = of_table AND attnum > 0 AND NOT attisdropped)`,
      [],
    );
    expect(stale).toEqual([]);
  });

  it('watches a table for each kind that operations change, but for what is told by hand', async () => {
    const rows = await people.rows(`SELECT DISTINCT kind FROM (${watched}) AS watched`, []);
    // Messages and queues are not in PostgreSQL; a session is told when it is ended, not when it is used; of commands it
    // is told who sends and withdraws them, and not what edges do with them; of alarms who acknowledges them.
    const byHand = ['session', 'messages', 'queue', 'command', 'alarm'];
    const told = new Set([...rows.map(({ kind }) => String(kind)), ...byHand]);
    const changed = operations.flatMap(({ audit, auditAlso }) => audit ?? auditAlso ?? []);
    expect([...new Set(changed)].filter((kind) => !told.has(kind))).toEqual([]);
    expect([...told].toSorted()).toEqual([...auditKinds].toSorted());
  });
});
