import { describe, expect, it } from 'vitest';
import { having } from '../../schemas/client/shape.ts';
import { parseDuration, parseId, parseIds, parseList, parseTime, UsageError } from './usage.ts';

describe('arguments', () => {
  it.each([
    ['0', 0],
    ['3600', 3_600],
    ['10h', 36_000],
    ['1h30m', 5_400],
    ['30d', 2_592_000],
    ['1.5h', 5_400],
  ])('the duration %s is %i seconds', (text, seconds) => {
    expect(parseDuration('duration', text)).toBe(seconds);
  });

  it.each(['', '1w', '-1h', 'h', '1h!'])('%j is no duration', (text) => {
    expect(() => parseDuration('duration', text)).toThrow(UsageError);
  });

  it('a time is integer nanoseconds, exact to the last, or ISO 8601', () => {
    expect(parseTime('--from', '1700000000123456789')).toBe('1700000000123456789');
    expect(parseTime('--from', '2023-11-14T22:13:20Z')).toBe('1700000000000000000');
    expect(parseTime('--from', '2023-11-15', 'Asia/Tokyo')).toBe('1699974000000000000');
    expect(() => parseTime('--from', 'yesterday')).toThrow(UsageError);
    expect(() => parseTime('--from', '1795341376')).toThrow(
      '--from: 1795341376 is in 1970: --from is in nanoseconds; did you mean seconds?',
    );
  });

  it('an id has the form of one; an error does not repeat a token in its place', () => {
    expect(parseId('org_id', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff')).toContain('6f96');
    expect(() => parseId('org_id', 'eyJ.a.b')).toThrow(/^org_id is not an id.*missing\?$/);
    expect(() => parseIds('JSON', '["a"]')).toThrow(UsageError);
  });

  it('a list can be an array, one object, or an array in a wrapper', () => {
    const named = having<{ name: string }>('name');
    const [a, b] = [{ name: 'a' }, { name: 'b' }];
    expect(parseList('JSON', JSON.stringify([a, b]), named)).toEqual([a, b]);
    expect(parseList('JSON', JSON.stringify(a), named)).toEqual([a]);
    expect(parseList('JSON', JSON.stringify({ things: [a] }), named, 'things')).toEqual([a]);
    expect(() => parseList('JSON', '[{"nam":1}]', named)).toThrow('JSON lacks name');
    expect(() => parseList('JSON', '[5]', named)).toThrow('not a JSON object');
  });
});
