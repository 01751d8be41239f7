import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../api/server/resources.ts';
import { type Built, buildApi } from '../support/api/build.ts';

let api: Built;

beforeAll(() => {
  api = buildApi();
});

afterAll(() => api.close());

describe('the operations', () => {
  it('have a route each, and each route has one: the API does not start otherwise', async () => {
    expect(() => api.server.get('/open', async () => 'to all')).toThrow('/open names no operation');
    const withRoutes = new Set<string>();
    api.server.addHook('onRoute', ({ config }) => {
      withRoutes.add(String(config?.operation?.name));
    });
    await api.server.ready();
    expect([...withRoutes].toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
  });

  it('say so if they remove something', () => {
    // What these may remove is not the API's.
    const own = operations.filter(({ name }) => name !== 'passToEdge');
    const wanted = own.filter(
      ({ name, method }) => method === 'DELETE' || /^(delete|remove|revoke)[A-Z]/.test(name),
    );
    expect(own.filter(({ removes }) => removes)).toEqual(wanted);
  });

  it('that API keys are managed by take no API key', () => {
    const ofKeys = operations.filter(({ tag }) => tag === 'keys');
    expect(ofKeys.map(({ needs }) => needs.kind)).toEqual(ofKeys.map(() => 'loggedIn'));
    expect(ofKeys.length).toBe(4);
  });
});
