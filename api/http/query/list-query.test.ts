import { describe, expect, it } from 'vitest';
import { envelope, metadataFilterOf } from './list-query.ts';

describe('the query of a list', () => {
  it('is echoed beside the total, with the page that it means', () => {
    expect(envelope({}, 3)).toEqual({ total: 3, offset: 0, limit: 10 });
    expect(envelope({ limit: 5, offset: 10, order: 'name', name: 'pump' }, 42)).toEqual({
      total: 42,
      offset: 10,
      limit: 5,
      order: 'name',
      name: 'pump',
    });
  });

  it('has its metadata as an object, from text and as it is', () => {
    expect(metadataFilterOf({})).toBe(undefined);
    expect(metadataFilterOf({ metadata: '{"a":1}' })).toEqual({ a: 1 });
    expect(metadataFilterOf({ metadata: { a: 1 } })).toEqual({ a: 1 });
    expect(envelope({ metadata: '{"a":1}' }, 0)).toMatchObject({ metadata: { a: 1 } });
  });

  it.each(['', '[]', 'null', '1', '{', '{"a":1e400}', '{"a":"\\u0000"}'])(
    'refuses %s as metadata',
    (metadata) => {
      expect(() => metadataFilterOf({ metadata })).toThrow(
        expect.objectContaining({
          code: 'malformed',
          detail: expect.stringMatching(/^metadata must be a JSON object/),
        }),
      );
    },
  );

  it('bounds its metadata by characters and by items of arrays', () => {
    expect(() => metadataFilterOf({ metadata: { a: 'x'.repeat(4_096) } })).toThrow(
      expect.objectContaining({ detail: 'metadata is longer than 4096' }),
    );
    const items = (count: number) => ({
      metadata: { a: [Array.from({ length: count }, () => 1)] },
    });
    expect(() => metadataFilterOf(items(64))).toThrow(
      expect.objectContaining({ detail: 'metadata: more than 64 items' }),
    );
    expect(metadataFilterOf(items(63))).toBeDefined();
  });
});
