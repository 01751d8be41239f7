import { expect, it } from 'vitest';
import { RequestHead } from './head.ts';

it('all headers X-Forwarded-For count, in their order: some proxies add one of their own', () => {
  const head = new RequestHead();
  head.add('x-forwarded-for', '203.0.113.7');
  head.add('host', 'a');
  head.add('x-forwarded-for', '10.0.0.1, 10.0.0.2');
  expect(head.forwardedFor).toBe('203.0.113.7, 10.0.0.1, 10.0.0.2');
});
