import { expect, it } from 'vitest';
import { linkTo } from './routes.ts';

it('the next page is the same request with its cursor, and no offset', () => {
  expect(linkTo('/reader/senml?name=a%20b&offset=5&limit=2', 'x')).toBe(
    '</reader/senml?name=a+b&limit=2&cursor=x>; rel="next"',
  );
  expect(linkTo('/reader/senml', 'x')).toBe('</reader/senml?cursor=x>; rel="next"');
});
