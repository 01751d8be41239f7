import { DomainError } from '../../../schemas/http/errors.ts';
import type {
  Annotation,
  AnnotationChange,
  AnnotationsQuery,
  NewAnnotation,
} from '../../../schemas/resources/annotation.ts';
import type { UserCaller } from '../../access/caller.ts';
import { readTime } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type AnnotationRow = {
  id: string;
  group_id: string;
  thing_id: string | null;
  text: string;
  from_at: Date;
  to_at: Date | null;
  made_by_email: string | null;
  created_at: Date;
  updated_at: Date;
};

const columns =
  'id, group_id, thing_id, text, from_at, to_at, made_by_email, created_at, updated_at';
const orders = { from: 'from_at', id: 'id', created_at: 'created_at' };

/** Those of a group and of its things. Uses `annotations_group`. */
export async function findGroupAnnotations(
  db: Database,
  groupId: string,
  query: AnnotationsQuery,
): Promise<ListPage<Annotation>> {
  const conditions = new Conditions();
  conditions.equals('group_id', groupId);
  return findAnnotations(db, conditions, query);
}

/** Those of a thing, and those of its whole group. Uses `annotations_thing`, `annotations_group`. */
export async function findThingAnnotations(
  db: Database,
  thingId: string,
  query: AnnotationsQuery,
): Promise<ListPage<Annotation>> {
  const conditions = new Conditions();
  const id = conditions.bind(thingId);
  conditions.add(
    `thing_id = ${id}
     OR thing_id IS NULL AND group_id = (SELECT things.group_id FROM things WHERE things.id = ${id})`,
  );
  return findAnnotations(db, conditions, query);
}

async function findAnnotations(
  db: Database,
  conditions: Conditions,
  { from, to, order = 'from', ...page }: AnnotationsQuery,
): Promise<ListPage<Annotation>> {
  if (from !== undefined) {
    conditions.add(`coalesce(to_at, from_at) >= ${conditions.bind(timestampOf('from', from))}`);
  }
  if (to !== undefined) conditions.add(`from_at <= ${conditions.bind(timestampOf('to', to))}`);
  const list = { columns, from: 'annotations', conditions, orders, id: 'id' };
  const { total, rows } = await findPage<AnnotationRow>(db, list, { ...page, order });
  return { total, rows: rows.map(toAnnotation) };
}

/** Uses the primary key. */
export async function findAnnotation(db: Database, id: string): Promise<Annotation | undefined> {
  const [row] = await db.rows<AnnotationRow>(`SELECT ${columns} FROM annotations WHERE id = $1`, [
    id,
  ]);
  return row && toAnnotation(row);
}

/**
 * Makes an annotation of a group. Uses the primary keys of groups and things, and `annotations_group`.
 *
 * @throws DomainError `malformed` for times that are none or in the wrong order, and for a thing of another group;
 * `conflict` if the group has too many.
 */
export async function insertAnnotation(
  db: Database,
  groupId: string,
  { thing_id: thingId, text, ...times }: NewAnnotation,
  user: UserCaller,
): Promise<Annotation> {
  const [from, to] = timesOf(times);
  return db.transaction(async (work) => {
    // Two at the same moment would both find room for one more.
    const held = await work.rows('SELECT FROM groups WHERE id = $1 FOR NO KEY UPDATE', [groupId]);
    if (held.length === 0) throw new DomainError('not_found', 'group');
    if (thingId !== undefined) await checkThing(work, thingId, groupId);
    await checkRoom(work, groupId);
    const [row] = await work.rows<AnnotationRow>(
      `INSERT INTO annotations (id, group_id, thing_id, text, from_at, to_at, made_by_email)
       VALUES (uuid_v7(), $1, $2, $3, $4, $5, $6)
       RETURNING ${columns}`,
      [groupId, thingId ?? null, text, from, to, user.email],
    );
    if (row === undefined) throw new Error('an annotation was not written');
    return toAnnotation(row);
  });
}

/** It cannot be deleted, nor be moved, before the transaction ends. */
async function checkThing(db: Statements, id: string, groupId: string): Promise<void> {
  const found = await db.rows('SELECT FROM things WHERE id = $1 AND group_id = $2 FOR SHARE', [
    id,
    groupId,
  ]);
  if (found.length === 0) throw new DomainError('malformed', 'thing_id is no thing of the group');
}

async function checkRoom(db: Statements, groupId: string): Promise<void> {
  const [row] = await db.rows<{ made: number }>(
    'SELECT count(*)::integer AS made FROM annotations WHERE group_id = $1',
    [groupId],
  );
  if ((row?.made ?? 0) < limits.annotationsPerGroupMax) return;
  throw new DomainError('conflict', `the group has ${limits.annotationsPerGroupMax} annotations`);
}

/** Replaces text and times. Uses the primary key. @throws DomainError as `insertAnnotation` */
export async function changeAnnotation(
  db: Database,
  id: string,
  { text, ...times }: AnnotationChange,
): Promise<Annotation | undefined> {
  const [from, to] = timesOf(times);
  const [row] = await db.change<AnnotationRow>(
    `UPDATE annotations SET text = $2, from_at = $3, to_at = $4, updated_at = now()
     WHERE id = $1 RETURNING ${columns}`,
    [id, text, from, to],
  );
  return row && toAnnotation(row);
}

/** Whether there was one. Uses the primary key. */
export async function deleteAnnotation(db: Database, id: string): Promise<boolean> {
  const rows = await db.change('DELETE FROM annotations WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

type Times = Pick<AnnotationChange, 'from' | 'to'>;

/** @throws DomainError `malformed` for what ends before it begins */
function timesOf({ from, to }: Times): [from: string, to: string | null] {
  const began = timestampOf('from', from);
  if (to === undefined) return [began, null];
  const ended = timestampOf('to', to);
  if (ended < began) throw new DomainError('malformed', 'to is before from');
  return [began, ended];
}

/** In milliseconds, so that what is read is what was written. All have the same length, in which they sort. */
function timestampOf(name: string, time: string | number): string {
  return new Date(Number(readTime(name, time) / 1_000_000n)).toISOString();
}

function toAnnotation(row: AnnotationRow): Annotation {
  const { thing_id: thingId, to_at: to, made_by_email: maker } = row;
  return {
    id: row.id,
    group_id: row.group_id,
    ...(thingId === null ? {} : { thing_id: thingId }),
    text: row.text,
    from: row.from_at.toISOString(),
    ...(to === null ? {} : { to: to.toISOString() }),
    ...(maker === null ? {} : { made_by_email: maker }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
