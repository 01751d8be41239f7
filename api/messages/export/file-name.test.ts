import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachment, fileNameOf } from './file-name.ts';

const at = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n;
const base = { dir: 'desc', order: 'store', shape: 'long' } as const;

describe('the name of a file', () => {
  it('says what is in it', () => {
    const range = { from: at('2026-11-01'), to: at('2026-11-26') };
    expect(fileNameOf('senml', 'cold-room-2', { ...base, name: 'temperature', ...range })).toBe(
      'cold-room-2 temperature 2026-11-01 to 2026-11-26',
    );
    expect(fileNameOf('json', undefined, { ...base, agg_field: ['a.b', 'c'], to: range.to })).toBe(
      'json messages a.b c until 2026-11-26',
    );
    expect(fileNameOf('senml', 'hall', { ...base, shape: 'wide', from: range.from })).toBe(
      'hall wide 2026-11-01',
    );
    expect(fileNameOf('senml', undefined, base)).toBe('senml messages');
  });

  it('has the days of the time zone', () => {
    const from = at('2026-11-25T23:30:00Z');
    expect(fileNameOf('senml', 'a', { ...base, from, tz: 'Europe/Berlin' })).toBe('a 2026-11-26');
  });

  it('takes no system elsewhere, whatever a thing is called', () => {
    const rules = [/[\\/:*?"<>|]/u, /\p{Cc}|\p{Cf}/u, /^[ .]|[ .]$/u];
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('../../etc/passwd', '..\\x', '\u202Egnp', 'a\r\nSet-Cookie: b'),
    );
    fc.assert(
      fc.property(anything, anything, (thing, name) => {
        const file = fileNameOf('senml', thing, { ...base, name });
        expect(rules.filter((rule) => rule.test(file))).toEqual([]);
        expect(Array.from(file).length).toBeLessThan(170);
        expect(attachment(file)).toMatch(/^[ -~]*$/);
      }),
    );
  });
});

it('a download tells old clients the name in ASCII, and all others the whole', () => {
  expect(attachment('hall 2026.csv')).toBe('attachment; filename="hall 2026.csv"');
  expect(attachment(`Kühlraum 2 'α' (%).csv`)).toBe(
    `attachment; filename="Kuhlraum 2 '_' (_).csv"; filename*=UTF-8''K%C3%BChlraum%202%20%27%CE%B1%27%20%28%25%29.csv`,
  );
});
