import type { Call } from './call.ts';
import { isId, UsageError } from './usage.ts';

/** An argument that is no id is a token; without an id, the token tells whose it is. */
export function whoIsMeant(call: Call): { id: string; token: string | undefined } {
  const first = call.find('user_id|token');
  const second = call.find('token');
  if (first !== undefined && isId(first)) return { id: first, token: second };
  if (second !== undefined) throw new UsageError('user_id is not an id');
  return { id: ownId(call, first), token: first };
}

/** The user that a token is of. An API key does not tell. */
export function ownId(call: Call, given: string | undefined): string {
  const token = call.token(call.settings.urls.users, given);
  const id = token === undefined ? undefined : subjectOf(token);
  if (id !== undefined) return id;
  throw new UsageError('whose? Give a user_id, or log in with: millrace login');
}

function subjectOf(token: string): string | undefined {
  try {
    const payload: unknown = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    );
    const subject: unknown = Object(payload)['sub'];
    return typeof subject === 'string' && isId(subject) ? subject : undefined;
  } catch {
    return undefined;
  }
}
