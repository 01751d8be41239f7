import { describe, expect, it } from 'vitest';
import { normalize } from './argv.ts';

describe('flags as scripts of the platform write them', () => {
  it.each([
    [['-l=5'], ['-l', '5']],
    [['-s=a=b'], ['-s', 'a=b']],
    [['-f='], ['-f', '']],
    [
      ['--limit=5', '-l5'],
      ['--limit=5', '-l5'],
    ],
    [
      ['--raw=true', '-i=false'],
      ['--raw', '--no-insecure'],
    ],
    [['--bool-value=0'], ['--no-bool-value']],
    [
      ['--', '-l=5'],
      ['--', '-l=5'],
    ],
    [
      ['-', '[{"n":"t"}]'],
      ['-', '[{"n":"t"}]'],
    ],
  ])('%j is %j', (given, expected) => {
    expect(normalize(given)).toEqual(expected);
  });
});
