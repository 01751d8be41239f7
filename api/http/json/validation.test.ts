import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { JsonObjectOrNull, UuidV4 } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { compileValidator } from './validation.ts';

const Body = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    kind: Type.Optional(Type.Enum(['one', 'two', ''])),
    things: Type.Optional(Type.Array(Type.Object({ id: UuidV4 }))),
    metadata: Type.Optional(JsonObjectOrNull),
  },
  { additionalProperties: false },
);

/** What a body is refused for; `undefined` where it is taken. */
function refusalOf(body: unknown): string | undefined {
  const route = { schema: Body, method: 'POST', url: '/', httpPart: 'body' };
  const result: unknown = compileValidator(route)(body);
  if (result === true) return undefined;
  if (typeof result !== 'object' || result === null || !('error' in result)) throw new Error('?');
  const { error } = result;
  if (!(error instanceof DomainError)) throw new Error('?');
  expect(error.code).toBe('malformed');
  return error.detail;
}

describe('the check of a request', () => {
  it('takes what its schema describes', () => {
    expect(refusalOf({ name: 'pump', kind: 'one', metadata: { a: [1, 2] } })).toBe(undefined);
  });

  it('names what is missing, and where', () => {
    expect(refusalOf({})).toBe('name is missing');
    expect(refusalOf({ name: 'a', things: [{}] })).toBe('things.0.id is missing');
  });

  it('names the whole of a part that is of the wrong type', () => {
    expect(refusalOf([])).toBe('body must be object');
  });

  it('converts nothing', () => {
    expect(refusalOf({ name: 1 })).toBe('name must be string');
  });

  it('names a member that is not known, and the one that may be meant', () => {
    expect(refusalOf({ name: 'a', knid: 'one' })).toContain('knid');
    expect(refusalOf({ name: 'a', knid: 'one' })).toContain('kind');
  });

  it('lists what is allowed, but for the empty value', () => {
    expect(refusalOf({ name: 'a', kind: 'three' })).toBe('kind must be one of one, two');
  });

  it('knows the formats of ids', () => {
    const id = 'e5f6a7b8-9c0d-1e1f-8a2b-3c4d5e6f7a8b';
    expect(refusalOf({ name: 'a', things: [{ id }] })).toBe(
      'things.0.id must match format "uuid-v4"',
    );
  });

  it('bounds free-form objects by their values and their bytes', () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`m${i}`, i]));
    expect(refusalOf({ name: 'a', metadata: many })).toBe('metadata holds more than 1000 values');
    const long = { text: 'x'.repeat(64 * 1024) };
    expect(refusalOf({ name: 'a', metadata: long })).toBe('metadata is larger than 64 KiB');
    expect(refusalOf({ name: 'a', metadata: null })).toBe(undefined);
  });
});
