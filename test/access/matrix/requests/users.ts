import { randomUUID } from 'node:crypto';
import { password } from '../../../support/api/people.ts';
import { roleAt } from '../callers.ts';
import { type Sample, orgs, anywhere, anyone, only, ownKey } from './sample.ts';

export const samplesOfUsers: Readonly<Record<string, Sample>> = {
  issueToken: {
    method: 'POST',
    path: () => '/tokens',
    body: (_, world) => ({ email: world.newcomer.email, password }),
    good: 201,
    places: anywhere,
  },
  createUser: {
    method: 'POST',
    path: () => '/users',
    body: () => ({ email: `${randomUUID()}@example.com`, password }),
    good: 201,
    places: anywhere,
  },
  viewUser: {
    method: 'GET',
    path: (place) => `/users/${place.owner.id}`,
    good: 200,
    places: orgs,
    rule: only((caller) => roleAt(caller, 'own', 'org') !== undefined, true),
  },
  listUsers: {
    method: 'GET',
    path: (_, world) => `/users?limit=200&email=${world.mark}`,
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'user', within: 'everything' },
  },
  viewOwnUser: {
    method: 'GET',
    path: () => '/users/profile',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  searchUsers: {
    method: 'POST',
    path: () => '/users/search',
    body: (_, world) => ({ limit: 200, email: world.mark }),
    good: 200,
    places: anywhere,
    rule: anyone,
    lists: { what: 'user', within: 'everything' },
  },
  updateOwnMetadata: {
    method: 'PUT',
    path: () => '/users',
    body: () => ({ metadata: { a: randomUUID() } }),
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  changeOwnPassword: {
    method: 'PATCH',
    path: () => '/password',
    body: () => ({ old_password: 'not the old one', password }),
    // An API key changes it no less; the old password is what counts, and nobody's is changed here.
    good: 400,
    places: anywhere,
    rule: anyone,
  },
  issueKey: {
    method: 'POST',
    path: () => '/keys',
    body: () => ({ type: 2, duration: 60 }),
    good: 201,
    places: anywhere,
    rule: anyone,
  },
  viewKey: {
    method: 'GET',
    path: (place) => `/keys/${place.keyId}`,
    good: 200,
    places: orgs,
    rule: ownKey,
  },
  listKeys: {
    method: 'GET',
    path: () => '/keys?limit=200',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  revokeKey: {
    method: 'DELETE',
    path: (place) => `/keys/${place.keyId}`,
    good: 204,
    places: orgs,
    rule: ownKey,
    fresh: 'key',
  },
  listSessions: {
    method: 'GET',
    path: () => '/sessions?limit=200',
    good: 200,
    places: anywhere,
    rule: anyone,
  },
  endSession: {
    method: 'DELETE',
    path: (place) => `/sessions/${place.sessionId}`,
    good: 204,
    places: orgs,
    rule: ownKey,
    fresh: 'session',
  },
  endAllSessions: {
    method: 'DELETE',
    // It would end the tokens that the rest is asked with: so what is asked is not understood.
    path: () => '/sessions?of=nobody',
    good: 400,
    places: anywhere,
    rule: anyone,
  },
};
