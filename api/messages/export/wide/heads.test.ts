import fc from 'fast-check';
import { expect, it } from 'vitest';
import { headsOf } from './heads.ts';

const series = (publisher: string, subtopic: string, name: string, unit: string) => ({
  publisher,
  subtopic,
  name,
  unit,
});

it('a head is thing, subtopic, name and unit', () => {
  const names = new Map([
    ['1', 'cold-room-2'],
    ['2', 'cold-room-2'],
    ['3', 'hall'],
  ]);
  const all = [
    series('1', '', 'temperature', 'Cel'),
    series('2', '', 'temperature', 'Cel'),
    series('3', 'roof.west', 'on', ''),
    series('3', 'roof', 'west on', ''),
    series('3', '', 'roof west on', ''),
    series('4', '', 'gone', '%'),
  ];
  expect(headsOf(all, names, 'time')).toEqual([
    'cold-room-2 1 temperature (Cel)',
    'cold-room-2 2 temperature (Cel)',
    'hall roof.west on',
    'hall roof west on',
    'hall roof west on #2',
    '4 gone (%)',
  ]);
});

it('any heads differ, in any letter case, and hold no control characters', () => {
  const text = fc.oneof(fc.constantFrom('', 'a', 'A', 'time', ' ', '#2'), fc.string());
  const one = fc.record({
    publisher: fc.constantFrom('1', '2', '3', '4'),
    subtopic: text,
    name: text,
    unit: text,
  });
  const names = fc.dictionary(fc.constantFrom('1', '2', '3'), text);
  fc.assert(
    fc.property(fc.array(one), names, (all, known) => {
      const heads = headsOf(all, new Map(Object.entries(known)), 'time');
      expect(new Set(['time', ...heads].map((head) => head.toLowerCase())).size).toBe(
        all.length + 1,
      );
      expect(heads.filter((head) => /\p{Cc}/u.test(head))).toEqual([]);
    }),
  );
});
