import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  exportParameters,
  filterParameters,
  readParameters,
} from '../../schemas/messages/query.ts';
import { addGlobalFlags, readSettings } from './settings.ts';

/** What the client sends with these flags. */
function settingsOf(...flags: string[]) {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addGlobalFlags(program);
  program.parse(flags, { from: 'user' });
  return readSettings(program.opts(), { baseUrl: undefined });
}

const thingId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

type Parameter = {
  description: string;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly string[];
};

const parameters: Readonly<Record<string, Parameter>> = { ...readParameters, ...exportParameters };

/** Flags with names of their own, as the platform's client has them. */
const ownNames: Readonly<Record<string, string>> = {
  name: '--senml-name',
  v: '--senml-value',
  vb: '--bool-value',
  vs: '--string-value',
  vd: '--data-value',
};

const flagOf = (name: string) => ownNames[name] ?? `--${name.replaceAll('_', '-')}`;

/** A value for a parameter: as it is typed, and as the API gets it. */
function sampleOf({ type, format, enum: values }: Parameter): [typed: string, value: unknown] {
  const [one] = values?.slice(-1) ?? [];
  if (one !== undefined) return [one, one];
  if (format === 'uuid') return [thingId, thingId];
  if (type === 'number') return ['-0.5', -0.5];
  if (type === 'integer') return ['5', 5];
  if (type === 'string') return ['a.b', 'a.b'];
  if (Array.isArray(type)) return ['2023-11-14T22:13:20.000000001Z', '1700000000000000001'];
  return ['a,b.c', ['a', 'b.c']];
}

describe('flags', () => {
  /** A parameter is in each query that has it, and in no other. */
  function expectSent(name: string, value: unknown, ...flags: string[]) {
    const { messagePage, exported, filters } = settingsOf(...flags);
    for (const [query, sent] of [
      [readParameters, messagePage],
      [exportParameters, exported],
      [filterParameters, filters],
    ] as const) {
      if (name in query) expect(sent).toMatchObject({ [name]: value });
      else expect(sent).not.toHaveProperty(name);
    }
  }

  it.each(Object.entries(parameters))('send %s as the reader takes it', (name, parameter) => {
    const flag = flagOf(name);
    if (parameter.type === 'boolean') {
      expectSent(name, true, flag);
      expectSent(name, false, flag.replace('--', '--no-'));
    } else {
      const [typed, value] = sampleOf(parameter);
      expectSent(name, value, flag, typed);
    }
  });

  it('have short names, and take times in nanoseconds', () => {
    expectSent('subtopic', 'a.b', '-s', 'a.b');
    expectSent('limit', 5, '-l', '5');
    expectSent('offset', 7, '-o', '7');
    expectSent('to', '1700000000123456789', '--to', '1700000000123456789');
  });

  it('take dates in the zone that they name, and times relative to now', () => {
    expectSent('from', '1699974000000000000', '--from', '2023-11-15', '--tz', 'Asia/Tokyo');
    const { from, to } = settingsOf('--from', '-24h', '--to', 'now').filters;
    const hours = Number(BigInt(to ?? 0) - BigInt(from ?? 0)) / 3.6e12;
    expect(hours).toBeCloseTo(24, 3);
  });

  it.each([
    [['--from', 'yesterday'], '--from is none of: integer nanoseconds'],
    [['--to', '1795341376'], '--to: 1795341376 is in 1970'],
    [['--from', '2026-11-25', '--tz', 'Mars'], '--from: 2026-11-25 has no begin'],
  ])('%s is refused by its name', (flags, problem) => {
    expect(() => settingsOf(...flags)).toThrow(problem);
  });

  it('refuse values that the reader would refuse', () => {
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

  it('have a short flag for the name, and send nothing without a flag', () => {
    expect(settingsOf('-n', 't').filters).toEqual({ name: 't' });
    expect(settingsOf().filters).toEqual({});
    expect(settingsOf().messagePage).toEqual({ limit: 100, offset: 0 });
  });
});
