import { expect, it } from 'vitest';
import { type AttemptSign, failingChanges } from './failing.ts';

/** Attempts at one webhook, a millisecond apart: S succeeds, F fails. */
const attempts = (signs: string, wasFailing = false): AttemptSign[] =>
  signs.split('').map((sign, triedAtMs) => ({
    webhookId: 'webhook',
    isSuccess: sign === 'S',
    wasFailing,
    triedAtMs,
  }));
const since = (ms: number) => [{ webhookId: 'webhook', at: new Date(ms) }];
const never = () => false;

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
  expect(failingChanges(attempts(signs, wasFailing), never)).toEqual({ succeeded, failing });
});

it('what was written lately counts more than what was read before', () => {
  expect(failingChanges(attempts('F'), () => true)).toEqual({ succeeded: [], failing: [] });
  expect(failingChanges(attempts('S'), () => true)).toEqual({
    succeeded: ['webhook'],
    failing: [],
  });
});

it('webhooks do not mix', () => {
  const other = { webhookId: 'other', isSuccess: true, wasFailing: true, triedAtMs: 0 };
  expect(failingChanges([...attempts('F'), other], never)).toEqual({
    succeeded: ['other'],
    failing: since(0),
  });
});
