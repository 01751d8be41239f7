import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { exportQuery, filters, readQuery } from '../../schemas/messages/query.ts';
import { addGlobalFlags, readSettings } from './settings.ts';

/** What the client asks for with these flags. */
function settingsOf(...flags: string[]) {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addGlobalFlags(program);
  program.parse(flags, { from: 'user' });
  return readSettings(program.opts(), { baseUrl: undefined });
}

const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** Each parameter of the reader's query, as a flag has it, and as it is asked for. */
const asked: Readonly<Record<string, [flags: string[], value: unknown]>> = {
  publisher: [['--publisher', id], id],
  subtopic: [['-s', 'a.b'], 'a.b'],
  protocol: [['--protocol', 'http'], 'http'],
  name: [['--senml-name', 't'], 't'],
  v: [['--senml-value', '-0.5'], -0.5],
  comparator: [['--comparator', 'gt'], 'gt'],
  vs: [['--string-value', 'on'], 'on'],
  vb: [['--no-bool-value'], false],
  vd: [['--data-value', 'aGk'], 'aGk'],
  filter: [['--filter', 'a.b'], 'a.b'],
  from: [['--from', '2023-11-14T22:13:20.000000001Z'], '1700000000000000001'],
  to: [['--to', '1700000000123456789'], '1700000000123456789'],
  agg_type: [['--agg-type', 'max'], 'max'],
  agg_interval: [['--agg-interval', 'day'], 'day'],
  agg_value: [['--agg-value', '2'], 2],
  agg_field: [
    ['--agg-field', 'a,b.c'],
    ['a', 'b.c'],
  ],
  agg_fill: [['--agg-fill', 'linear'], 'linear'],
  tz: [['--tz', 'Europe/Berlin'], 'Europe/Berlin'],
  points: [['--points', '100'], 100],
  limit: [['-l', '5'], 5],
  offset: [['-o', '7'], 7],
  dir: [['--dir', 'asc'], 'asc'],
  cursor: [['--cursor', 'x'], 'x'],
  convert: [['--convert', 'csv'], 'csv'],
  order: [['--order', 'time'], 'time'],
  time_format: [['--time-format', 'rfc3339'], 'rfc3339'],
};

describe('flags', () => {
  it.each(Object.keys({ ...readQuery, ...exportQuery }))('say %s as the reader has it', (name) => {
    const [flags, value] = asked[name] ?? [[], 'a flag to be tried here'];
    const { messagePage, exported, filters: which } = settingsOf(...flags);
    for (const [query, given] of [
      [readQuery, messagePage],
      [exportQuery, exported],
      [filters, which],
    ] as const) {
      if (name in query) expect(given).toMatchObject({ [name]: value });
      else expect(given).not.toHaveProperty(name);
    }
  });

  it('refuse what is no value of theirs', () => {
    for (const flags of [
      ['--senml-value', 'x'],
      ['--comparator', 'ne'],
      ['--points', '1.5'],
      ['--agg-type', 'median'],
      ['--convert', 'xml'],
    ]) {
      expect(() => settingsOf(...flags)).toThrow(/invalid/);
    }
  });

  it('take a name by its short flag, and nothing that was not given', () => {
    expect(settingsOf('-n', 't').filters).toEqual({ name: 't' });
    expect(settingsOf().filters).toEqual({});
    expect(settingsOf().messagePage).toEqual({ limit: 100, offset: 0 });
  });
});
