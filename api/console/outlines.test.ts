import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readOutlines } from './outlines.ts';

it('the outlines of countries are whole paths, and small', () => {
  const { land, borders } = readOutlines();
  // Each number is one, and each path moves somewhere.
  expect(`${land}Z`).toMatch(/^(?:M-?\d+ -?\d+l-?\d+(?:[ -]\d+| -\d+)+Z)+$/);
  expect(borders).toMatch(/^(?:M-?\d+ -?\d+l-?\d+(?:[ -]\d+)+)+$/);
  expect(gzipSync(land + borders).byteLength).toBeLessThan(20 * 1024);
});
