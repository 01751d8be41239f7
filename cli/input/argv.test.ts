import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { normalize } from './argv.ts';
import { addGlobalFlags } from './settings.ts';

const program = new Command();
addGlobalFlags(program);

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
    [['-r=maybe'], ['-r=maybe']],
    [
      ['--', '-l=5'],
      ['--', '-l=5'],
    ],
    [
      ['-', '[{"n":"t"}]'],
      ['-', '[{"n":"t"}]'],
    ],
  ])('%j becomes %j', (given, expected) => {
    expect(normalize(given, program.options)).toEqual(expected);
  });
});
