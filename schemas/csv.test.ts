import { expect, it } from 'vitest';
import { formulaStarts, neutralized } from './csv.ts';

it('a text that begins like a formula gets a quote, whatever kind of sign it begins with', () => {
  for (const text of [
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
    '−1',
    "''=1",
  ]) {
    expect(neutralized(text)).toBe(`'${text}`);
  }
  for (const text of ['', "'", "'a", 'a=1', ' =1', '1-1', '–', '年=1']) {
    expect(neutralized(text)).toBe(text);
  }
});

it('every character that normalization makes a sign of a formula is one', () => {
  const signs = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
    (char) => char.isWellFormed() && /^[=+@−-]/.test(char.normalize('NFKC')),
  );
  expect(signs.length).toBeGreaterThan(20);
  for (const sign of signs) expect(formulaStarts).toContain(sign);
});
