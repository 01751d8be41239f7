import { expect, it } from 'vitest';
import { unitText } from './units.ts';

it('a unit is written as people do, and one that nobody knows as it came', () => {
  expect(unitText('Cel')).toBe('°C');
  expect(unitText('%EL')).toBe('%');
  expect(unitText('m/s2')).toBe('m/s²');
  expect(unitText('/')).toBe('');
  expect(unitText('kWh')).toBe('kWh');
  expect(unitText('constructor')).toBe('constructor');
});
