import { signal } from '@preact/signals';
import { urlOf } from './url.ts';
import { refusalIn, send } from './send.ts';

/** Who is signed in. */
export type User = { id: string; email: string; platform_admin: boolean };

/** `unknown` until the API has answered; `ended` where it was open and is no longer. */
type Session = { kind: 'unknown' | 'away' | 'none' | 'ended' } | { kind: 'open'; user: User };

export const session = signal<Session>({ kind: 'unknown' });

/** Who is signed in; undefined while nobody is. */
export function userIn(of: Session): User | undefined {
  return of.kind === 'open' ? of.user : undefined;
}

/** Called with each 401: the cookie's time is over, or its user is gone. Of several at once the first one says it. */
export function endSession(): void {
  const { kind } = session.value;
  if (kind !== 'ended') session.value = { kind: kind === 'open' ? 'ended' : 'none' };
}

export async function readSession(): Promise<void> {
  const response = await fetch(urlOf('/console/session')).catch(() => undefined);
  if (response?.status === 401) return endSession();
  if (response?.ok !== true) {
    session.value = { kind: 'away' };
    return;
  }
  const user: User = await response.json();
  session.value = { kind: 'open', user };
}

/** @throws ApiError, ConnectionError */
export async function signIn(email: string, password: string): Promise<void> {
  await post('/console/sign-in', { email, password });
  await readSession();
}

/** @throws ApiError, ConnectionError */
export async function signOut(): Promise<void> {
  await post('/console/sign-out');
  session.value = { kind: 'none' };
}

async function post(path: string, body?: object): Promise<void> {
  const response = await send(urlOf(path), 'POST', body);
  if (!response.ok) throw await refusalIn(response);
}
