import { session, userIn } from './client/session.ts';

/*
 * How far a user is with the first steps, as this browser keeps it: that a chart was looked at is nothing that the service knows.
 * Who never began here has no steps to end.
 */

export type Progress = 'begun' | 'ended';

const nameOf = (user: string) => `millrace-first-steps-${user}`;

export function progressOf(user: string): Progress | undefined {
  const kept = localStorage.getItem(nameOf(user));
  return kept === 'begun' || kept === 'ended' ? kept : undefined;
}

export function beginSteps(user: string): void {
  if (progressOf(user) === undefined) localStorage.setItem(nameOf(user), 'begun');
}

/** Of a user who began: a chart was looked at, or the steps were dismissed. */
export function endSteps(): void {
  const user = userIn(session.value)?.id;
  if (user !== undefined && progressOf(user) === 'begun')
    localStorage.setItem(nameOf(user), 'ended');
}
