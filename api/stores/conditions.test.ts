import { describe, expect, it } from 'vitest';
import { Conditions } from './conditions.ts';

describe('conditions', () => {
  it('are true where there are none', () => {
    expect(new Conditions().text).toBe('true');
  });

  it('bind values, and never write them into the statement', () => {
    const conditions = new Conditions();
    conditions.equals('org_id', "1'; DROP TABLE orgs");
    conditions.containsText('name', '50%_\\');
    expect(conditions.text).toBe('(org_id = $1) AND (name ILIKE $2)');
    expect(conditions.values).toEqual(["1'; DROP TABLE orgs", '%50\\%\\_\\\\%']);
  });

  it('leave out what was not asked for', () => {
    const conditions = new Conditions();
    conditions.equals('role', undefined);
    conditions.equals('role', '');
    conditions.containsText('name', '');
    conditions.containsJson('metadata', undefined);
    expect(conditions.text).toBe('true');
    expect(conditions.isHeavy).toBe(false);
  });

  it('are heavy where JSON is compared', () => {
    const conditions = new Conditions();
    conditions.containsJson('metadata', { place: 'hall' });
    expect(conditions.text).toBe('(metadata @> $1::jsonb)');
    expect(conditions.values).toEqual(['{"place":"hall"}']);
    expect(conditions.isHeavy).toBe(true);
  });
});
