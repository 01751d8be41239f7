import type { Call } from './call.ts';
import { isId, UsageError } from '../input/usage.ts';

/** An argument that is no id is a token; without an id the caller is meant. */
export async function whoIsMeant(call: Call): Promise<{ id: string; token: string | undefined }> {
  const first = call.find('user_id|token');
  const second = call.find('token');
  if (first !== undefined && isId(first)) return { id: first, token: second };
  if (second !== undefined) throw new UsageError('user_id is not an id');
  const { id } = await call.as('users', first).call('viewOwnUser', {});
  return { id, token: first };
}
