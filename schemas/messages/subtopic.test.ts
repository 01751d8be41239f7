import { describe, expect, it } from 'vitest';
import { parseSubtopic } from './subtopic.ts';

describe('a subtopic', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['a/b', 'a.b'],
    ['a.b/c', 'a.b.c'],
    ['/a//b/', 'a.b'],
    ['K%C3%BCche/oben', 'Küche.oben'],
    ['a%2Fb', 'a.b'],
    ['a/.b/c./...', 'a.b.c'],
    ['a..b', 'a.b'],
    ['%EF%BF%BD', '\uFFFD'],
  ])('of the path %j is %j', (path, subtopic) => {
    expect(parseSubtopic(path, 254)).toEqual({ ok: true, subtopic });
  });

  it.each([
    ['%ff', /percent-encoded/],
    ['a\uFFFD', /percent-encoded/],
    ['..', /\. or \.\./],
    ['.', /\. or \.\./],
    ['a/../b', /\. or \.\./],
    ['a/./b', /\. or \.\./],
    ['a/%2e%2E/b', /\. or \.\./],
    ['a/.%2e', /\. or \.\./],
    ['..%2fb', /\. or \.\./],
    ['%2E', /\. or \.\./],
    ['a/*', /must not hold \* or >/],
    ['a/%3E', /must not hold \* or >/],
    ['a%0Ab', /control characters/],
    ['abcdef', /longer than 5/],
  ])('is refused in the path %j', (path, detail) => {
    expect(parseSubtopic(path, 5)).toEqual({ ok: false, detail: expect.stringMatching(detail) });
  });
});
