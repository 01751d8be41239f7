import { describe, expect, it } from 'vitest';
import { Where } from '../../messages/query/where.ts';
import type { Database } from '../../stores/database.ts';
import { pointsOf } from './points.ts';
import type { Scope } from './scope.ts';
import { findSource } from './source.ts';
import { type Tags, tagsOf } from './tags.ts';
import { readThings, type TagUse } from './things.ts';

const unused = (): Promise<never> => Promise.reject(new Error('nothing is asked for'));
const db: Database = { rows: unused, change: unused, search: unused, transaction: unused };
const hall = { id: '11111111-1111-4111-8111-111111111111', name: 'hall' };
const roof = { id: '22222222-2222-4222-8222-222222222222', name: 'roof' };
const scope: Scope = {
  groups: [hall, roof],
  reach: { kind: 'groups', groups: [hall.id, roof.id] },
  profiles: new Map(),
};
const pump = { id: '44444444-4444-4444-8444-444444444444', name: 'pump', group: 'hall' };

describe('tags of a statement', () => {
  const tags: Tags = tagsOf(scope, { all: [pump] });
  const test = (tag: string, kind: 'equal' | 'unequal' | 'matches', value: string) => {
    const where = new Where();
    return { text: tags.test(where, { tag, kind, value }), bound: where.bound };
  };

  it('that name a thing are a condition on its id', () => {
    const condition = { text: 'publisher IN {p0:Array(UUID)}', bound: { p0: [pump.id] } };
    expect(test('thing', 'equal', 'pump')).toEqual(condition);
    expect(test('thing', 'matches', '^(pump|fan)$')).toEqual(condition);
    expect(test('thing_id', 'equal', pump.id)).toEqual(condition);
    expect(test('thing_id', 'unequal', 'no id')).toEqual({
      text: 'NOT (publisher IN {p0:Array(UUID)})',
      bound: { p0: [] },
    });
  });

  it('that name a group are a condition on its things', () => {
    expect(test('group', 'equal', 'roof').bound).toEqual({ p0: [roof.id] });
    expect(test('group', 'matches', '^r').bound).toEqual({
      p0: [hall.id, roof.id],
      p1: ['hall', 'roof'],
      p2: '^r',
    });
  });

  it('in the subtopic are found by their encoded keys', () => {
    expect(test('a.b c', 'equal', 'x')).toEqual({
      text: 'decodeURLComponent(extract(subtopic, {p0:String})) = {p1:String}',
      bound: { p0: '(?:^|[.])a%2Eb%20c=([^.]*)', p1: 'x' },
    });
  });

  it('that no thing is told by ask no database', async () => {
    const use: TagUse = {
      tests: [{ tag: 'host', kind: 'equal', value: 'a' }],
      required: [],
      shown: ['thing_id', 'host'],
    };
    expect(await readThings(db, scope, use)).toEqual({ all: [] });
  });
});

describe('points of a measurement', () => {
  it('are records that are named after its fields, whatever kind the field “value” has', async () => {
    const source = await findSource(db, { ...scope, groups: [] }, 'cpu');
    const where = new Where();
    const fields = [{ key: 'idle' }, { key: 'value' }, { key: 'up', kind: 'bool' }] as const;
    const sql = pointsOf(where, scope, source, { fields, range: { from: 1n } });
    expect(where.bound).toMatchObject({ p0: 'cpu.idle', p1: 'cpu.value', p2: 'cpu', p3: 'cpu.up' });
    expect(Object.values(where.bound)).toContainEqual(['cpu.idle', 'cpu.value', 'cpu', 'cpu.up']);
    expect(sql).toContain(`name = {p2:String} AND kind != 'none'`);
    expect(sql).toContain(`AND kind = 'bool'`);
    expect(sql).not.toContain('UNION ALL');
  });
});
