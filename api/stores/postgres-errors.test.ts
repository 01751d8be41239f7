import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../schemas/http/errors.ts';
import { toDomainError } from './postgres-errors.ts';

function refused(code: string, constraint?: string): unknown {
  const error = new DatabaseError('refused', 7, 'error');
  error.code = code;
  if (constraint !== undefined) error.constraint = constraint;
  return toDomainError(error);
}

describe('a refusal of Postgres', () => {
  it.each([
    ['23505', 'groups_name', 'conflict', 'name'],
    ['23505', 'things_key', 'conflict', 'key'],
    ['23514', 'orgs_metadata_size', 'malformed', 'metadata is larger than 64 KiB'],
    ['23514', 'webhooks_place', 'malformed', undefined],
    ['23503', 'profiles_group_id_fkey', 'not_found', 'group'],
    ['23503', 'groups_org_id_fkey', 'not_found', 'org'],
    ['23503', 'things_profile_id_group_id_fkey', 'not_found', 'profile'],
    ['23503', 'tree_members_group_id_fkey', 'not_found', 'hierarchical group'],
    ['23001', 'tree_members_group_id_fkey', 'conflict', 'members'],
    ['22P02', undefined, 'malformed', undefined],
  ])('%s of %s is %s, and names %s', (state, constraint, code, detail) => {
    expect(refused(state, constraint)).toMatchObject({ code, detail });
  });

  it.each(['57014', '40P01', '53300', '25006'])('%s is unavailable for a while', (state) => {
    const error = refused(state);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  });

  it('that is our own mistake stays as it is', () => {
    expect(refused('42601')).toBeInstanceOf(DatabaseError);
  });

  it('is none where the connection fails: Postgres is not available', () => {
    const cause = new Error('connection refused');
    expect(toDomainError(cause)).toMatchObject({ code: 'unavailable', cause });
  });
});
