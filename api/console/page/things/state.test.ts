import { expect, it } from 'vitest';
import { stateOf } from './state.ts';

it('a thing is active, quiet or silent by its last message, and new before the first', () => {
  const now = Date.parse('2026-11-22T10:00:00.000Z');
  expect(stateOf(null, now)).toBe('new');
  expect(stateOf('2026-11-22T09:50:00.000Z', now)).toBe('active');
  expect(stateOf('2026-11-21T10:00:01.000Z', now)).toBe('quiet');
  expect(stateOf('2026-11-21T09:59:59.000Z', now)).toBe('silent');
});
