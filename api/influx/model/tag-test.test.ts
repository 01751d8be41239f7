import { expect, it } from 'vitest';
import { literalsOf } from './tag-test.ts';

it.each<[string, readonly string[] | undefined]>([
  ['^a$', ['a']],
  ['^$', ['']],
  ['^(a|b c)$', ['a', 'b c']],
  ['^(?:a|)$', ['a', '']],
  [String.raw`^(10\.0\.0\.1|a\/b)$`, ['10.0.0.1', 'a/b']],
  [String.raw`^a\|b$`, ['a|b']],
  ['a', undefined],
  ['^a', undefined],
  ['^a|b$', undefined],
  ['^(a|b)|(c)$', undefined],
  ['^a.*$', undefined],
  [String.raw`^\d$`, undefined],
  ['^(a)(b)$', undefined],
])('the pattern %s names %j', (pattern, texts) => {
  expect(literalsOf(pattern)).toEqual(texts);
});
