import { DatabaseError } from 'pg';
import { DomainError, type ErrorCode } from '../../schemas/http/errors.ts';
import { limits } from '../limits.ts';

/*
 * What Postgres refuses, as a client is told of it. Constraints are named after what they hold, so most need no
 * row here: `<table>_name`, `<table>_metadata_size`, `<table>_<kind>_id_fkey`.
 */

/** The mistake of a client, by the constraint that refuses it, where its name alone does not tell. */
const fieldOfConstraint: ReadonlyMap<string, string> = new Map([
  ['users_email', 'email'],
  ['org_memberships_pkey', 'email'],
  ['group_memberships_pkey', 'member_id'],
  ['org_invites_pending', 'email'],
  ['platform_invites_pending', 'invitee_email'],
  ['tree_members_pkey', 'members'],
  ['tree_members_group_id_fkey', 'members'],
  ['profiles_pkey', 'id'],
  ['profiles_config_size', 'config is larger than 4 KiB'],
  ['things_pkey', 'id'],
  ['gone_things_pkey', 'id: a thing that is gone had it, and ids do not come back'],
  ['things_key', 'key'],
  ['things_external_key', 'external_key'],
  ['org_quotas_things', 'the org may have no more things: its quota'],
  ['org_quotas_webhooks', 'the org may have no more webhooks: its quota'],
  ['org_quotas_rules', 'the org may have no more rules: its quota'],
]);

/** The absent entity, by the reference to it, where its name alone does not tell. */
const kindOfReference: ReadonlyMap<string, string> = new Map([
  ['group_memberships_member_id_fkey', 'user: member_id'],
  ['things_profile_id_group_id_fkey', 'profile'],
  ['tree_groups_parent_id_fkey', 'hierarchical group: parent_id'],
  ['tree_members_group_id_fkey', 'hierarchical group'],
]);

function fieldOf(constraint: string): string | undefined {
  const field = fieldOfConstraint.get(constraint);
  if (field !== undefined) return field;
  if (constraint.endsWith('_name')) return 'name';
  return constraint.endsWith('_metadata_size') ? 'metadata is larger than 64 KiB' : undefined;
}

function kindOf(constraint: string): string | undefined {
  return (
    kindOfReference.get(constraint) ?? /_(org|group|thing|profile)_id_fkey$/.exec(constraint)?.[1]
  );
}

/** SQLSTATE (or its class) → what it means to a client. What is not here is our own mistake: 500. */
function codeOf(sqlState: string): ErrorCode | undefined {
  switch (sqlState) {
    case '23505': // unique_violation
    case '23001': // restrict_violation
    case 'MQ001': // our own: over a quota (0011_quotas.sql)
      return 'conflict';
    case '23503': // foreign_key_violation: what it names was deleted meanwhile
      return 'not_found';
    case '23502': // not_null_violation
    case '23514': // check_violation
      return 'malformed';
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
    case '57014': // query_canceled: it took too long
    case '25006': // read_only_sql_transaction: a standby
      return 'unavailable';
    default:
      break;
  }
  switch (sqlState.slice(0, 2)) {
    case '08': // connection exception
    case '53': // insufficient resources
    case '57': // operator intervention: shutting down, starting up
      return 'unavailable';
    case '22': // data exception
    case '54': // program limit exceeded: too deep, too long
      return 'malformed';
    default:
      return undefined;
  }
}

/**
 * The domain's error for one of Postgres. What is no answer of Postgres' means that it is not available; what is
 * our own mistake stays as it is.
 */
export function toDomainError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return unavailable(error);
  const code = error.code === undefined ? undefined : codeOf(error.code);
  if (code === undefined) return error;
  if (code === 'unavailable') return unavailable(error);
  const constraint = error.constraint ?? '';
  return new DomainError(code, code === 'not_found' ? kindOf(constraint) : fieldOf(constraint));
}

function unavailable(cause: unknown): DomainError {
  const error = new DomainError('unavailable', undefined, limits.awayRetrySeconds);
  error.cause = cause;
  return error;
}
