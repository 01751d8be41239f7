import { expect, it } from 'vitest';
import { fileNameIn } from './file-name.ts';

it.each([
  ['attachment; filename="hall 2026.csv"', 'hall 2026.csv'],
  [`attachment; filename="K_hl.csv"; filename*=UTF-8''K%C3%BChl%20%27a%27.csv`, `Kühl 'a'.csv`],
  [`attachment; filename="a.csv"; filename*=UTF-8''%zz`, 'a.csv'],
  ['attachment', undefined],
  ['attachment; filename="../../.profile"', undefined],
  [`attachment; filename*=UTF-8''..%2Fa`, undefined],
  [`attachment; filename*=UTF-8''a%0Ab`, undefined],
  ['attachment; filename=".."', undefined],
])('%s names %s', (disposition, name) => {
  expect(fileNameIn(disposition)).toBe(name);
});
