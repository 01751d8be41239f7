import { expect, it } from 'vitest';
import { ConfigError } from './config.ts';
import { connectionsWithin, descriptorsMax } from './descriptors.ts';

const share = { reserved: 256, perConnection: 1, connectionsMin: 64, connectionsMax: 10_000 };

it.each([
  [320, 64],
  [1_024, 768],
  [20_000, 10_000],
  [Infinity, 10_000],
])('of %d descriptors some are kept aside, and %d are for connections', (descriptors, all) => {
  expect(connectionsWithin(descriptors, share)).toBe(all);
});

it('a connection that may need two descriptors counts as two', () => {
  expect(connectionsWithin(1_024, { ...share, perConnection: 2 })).toBe(384);
});

it('a process with too few descriptors does not start, and says how many it needs', () => {
  expect(() => connectionsWithin(319, share)).toThrow(ConfigError);
  expect(() => connectionsWithin(319, share)).toThrow('319 files and sockets open, and needs 320');
});

it('the limit is that of the process', () => {
  expect(descriptorsMax()).toBeGreaterThan(256);
});
