import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeTag, pointNameOf, recordNameOf } from './points.ts';

it('a record’s name gives back the measurement and the field that it was made of', () => {
  const measurement = fc
    .stringMatching(/^[a-z°%/. -]{1,8}$/)
    .filter((text) => !text.startsWith('.'));
  const field = fc.stringMatching(/^[a-z0-9_ ]{1,8}$/).filter((text) => text !== 'value');
  fc.assert(
    fc.property(measurement, field, (of, key) => {
      expect(pointNameOf(recordNameOf(of, key), 'value')).toEqual({ measurement: of, field: key });
    }),
  );
});

it.each([
  ['temperature', { measurement: 'temperature', field: 'value' }],
  ['.x', { measurement: '.x', field: 'value' }],
  ['x.', { measurement: 'x.', field: 'value' }],
  ['a.b', { measurement: 'a', field: 'b' }],
])('%s is read as %j', (name, point) => {
  expect(pointNameOf(name, 'value')).toEqual(point);
});

it('an encoded tag has no character that means something in a subtopic, and loses nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      const encoded = encodeTag(text.toWellFormed());
      expect(encoded).not.toMatch(/[.=*>/ \p{Cc}]/u);
      expect(decodeURIComponent(encoded)).toBe(text.toWellFormed());
    }),
  );
});
