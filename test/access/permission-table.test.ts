import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Built, buildApi } from '../support/api/build.ts';
import { permissions, removals } from '../../api/permissions.ts';

let api: Built;

beforeAll(() => {
  api = buildApi();
});

afterAll(() => api.close());

describe('the permission table', () => {
  it('has a row for every route and a route for every row, and marks the operations that remove', async () => {
    const operations = new Set<string>();
    const deletions = new Set<string>();
    api.server.addHook('onRoute', ({ config, method }) => {
      const operation = config?.operation ?? 'a route without an operation';
      operations.add(operation);
      if ([method].flat().includes('DELETE')) deletions.add(operation);
    });
    expect(() => api.server.get('/open', async () => 'to all')).toThrow('/open names no operation');
    await api.server.ready();
    operations.delete('a route without an operation');
    expect([...operations].toSorted()).toEqual(Object.keys(permissions).toSorted());
    // What these may remove is not the API's.
    for (const passedOn of ['passToEdge', 'useQueues']) deletions.delete(passedOn);
    const named = [...operations].filter((name) => /^(delete|remove|revoke)[A-Z]/.test(name));
    expect([...removals].toSorted()).toEqual([...new Set([...deletions, ...named])].toSorted());
  });
});
