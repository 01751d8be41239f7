import { expect, it } from 'vitest';
import { floodApi } from './api-flood.ts';

const seed = 20_261_122;
const each = 12;

it('malformed requests to each route get no 5xx', async () => {
  const { wrong } = await floodApi(seed, each);
  expect(wrong).toEqual([]);
});
