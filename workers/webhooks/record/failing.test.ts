import { expect, it } from 'vitest';
import { type AttemptSign, failingChanges } from './failing.ts';

/** Attempts at one webhook, a millisecond apart: S succeeds, F fails. */
const attempts = (signs: string): AttemptSign[] =>
  signs.split('').map((sign, triedAtMs) => ({
    webhookId: 'webhook',
    isSuccess: sign === 'S',
    triedAtMs,
  }));
const since = (ms: number) => [{ webhookId: 'webhook', at: new Date(ms) }];
const none = new Set<string>();

it.each([
  ['SSS', false, [], []],
  ['FFF', false, [], since(0)],
  ['SFF', false, [], since(1)],
  ['FFS', false, ['webhook'], []],
  ['FSF', false, ['webhook'], since(2)],
  ['FFF', true, [], []],
  ['SS', true, ['webhook'], []],
  ['SF', true, ['webhook'], since(1)],
])('%s of a webhook that was failing: %s', (signs, wasFailing, succeeded, failing) => {
  const before = wasFailing ? new Set(['webhook']) : none;
  expect(failingChanges(attempts(signs), before)).toEqual({ succeeded, failing });
});

it('webhooks do not mix', () => {
  const other = { webhookId: 'other', isSuccess: true, triedAtMs: 0 };
  expect(failingChanges([...attempts('F'), other], new Set(['other']))).toEqual({
    succeeded: ['other'],
    failing: since(0),
  });
});
