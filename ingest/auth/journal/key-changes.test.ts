import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyChanges } from './key-changes.ts';
import { parseSnapshot } from './snapshot.ts';

const lookupOf = (number: number) => createHash('sha256').update(String(number)).digest('hex');
const before = parseSnapshot('50:50:');
const after = parseSnapshot('60:60:');

it('a look-up is out of date until the snapshot sees each of its changes', () => {
  const changes = new KeyChanges();
  const lookup = lookupOf(1);
  expect(changes.areSeen(lookup, before)).toBe(true);
  expect(changes.note(lookup, 55n, 1)).toBe(true);
  expect(changes.note(lookup, 55n, 2)).toBe(false);
  expect(changes.note(lookup, 40n, 3)).toBe(true);
  expect(changes.areSeen(lookup, before)).toBe(false);
  expect(changes.areSeen(lookup, after)).toBe(true);
  expect(changes.areSeen(lookupOf(2), before)).toBe(true);
});

it('look-ups that begin or end alike are not taken for each other', () => {
  const changes = new KeyChanges();
  changes.note('0123456789abcdef0123456789abcdef', 55n, 1);
  expect(changes.areSeen('0123456789abcdef0123456789abcde0', before)).toBe(true);
  expect(changes.areSeen('f123456789abcdef0123456789abcdef', before)).toBe(true);
});

it('what is no look-up in hex is refused', () => {
  const changes = new KeyChanges();
  expect(() => changes.note('the org of a thing', 55n, 1)).toThrow('in hex');
  expect(() => changes.areSeen('the org of a thing', before)).toThrow('in hex');
});

it('many changes are remembered for as long as they are to be, while more come', () => {
  const changes = new KeyChanges();
  for (let number = 0; number < 20_000; number++) {
    changes.note(lookupOf(number), 55n, number);
    changes.forget(number - 5_000);
    if (number % 997 !== 0) continue;
    expect(changes.areSeen(lookupOf(number), before)).toBe(false);
    expect(changes.areSeen(lookupOf(Math.max(0, number - 4_999)), before)).toBe(false);
    expect(changes.areSeen(lookupOf(Math.max(-1, number - 5_000)), before)).toBe(true);
  }
  expect(changes.size).toBe(5_000);
  changes.forget(20_000);
  expect(changes.size).toBe(0);
  expect(changes.areSeen(lookupOf(19_999), before)).toBe(true);
  changes.note(lookupOf(7), 55n, 20_001);
  expect(changes.areSeen(lookupOf(7), before)).toBe(false);
});
