import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Built, buildApi } from '../test/api/build.ts';
import { permissions } from './permissions.ts';

let api: Built;

beforeAll(() => {
  api = buildApi();
});

afterAll(() => api.close());

describe('the permission table', () => {
  it('has a row for every route, and every row has a route', async () => {
    const operations = new Set<string>();
    api.server.addHook('onRoute', ({ config }) => {
      operations.add(config?.operation ?? 'a route without an operation');
    });
    expect(() => api.server.get('/open', async () => 'to all')).toThrow('/open names no operation');
    await api.server.ready();
    operations.delete('a route without an operation');
    expect([...operations].toSorted()).toEqual(Object.keys(permissions).toSorted());
  });
});
