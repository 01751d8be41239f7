import {
  NewOrg,
  Org,
  OrgChange,
  Orgs,
  OrgsQuery,
  OrgsSearch,
} from '../../../schemas/resources/org.ts';
import { listing, type ListPlace } from '../../http/listing.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const all: ListPlace = {
  path: '/orgs',
  needs: { kind: 'user' },
  what: 'one’s orgs',
  about: 'Those that the caller is a member of; for the platform admin all.',
};
const { list, search } = listing({ query: OrgsQuery, search: OrgsSearch, answer: Orgs });

export const orgs = operations('orgs', {
  createOrg: {
    method: 'POST',
    path: '/orgs',
    needs: { kind: 'user' },
    body: NewOrg,
    answers: { 201: Empty },
    summary: 'Create an org',
    about: 'The caller becomes its owner. Answers no body: `Location` has the id.',
    location: 'the org',
    audit: 'org',
  },
  viewOrg: {
    method: 'GET',
    path: '/orgs/:id',
    needs: { kind: 'member', role: 'viewer', of: 'org' },
    answers: { 200: Org },
    summary: 'View an org',
  },
  updateOrg: {
    method: 'PUT',
    path: '/orgs/:id',
    needs: { kind: 'member', role: 'admin', of: 'org' },
    body: OrgChange,
    answers: { 200: Empty },
    summary: 'Change an org',
    audit: 'org',
  },
  deleteOrg: {
    method: 'DELETE',
    path: '/orgs/:id',
    needs: { kind: 'member', role: 'owner', of: 'org' },
    answers: { 204: Empty },
    summary: 'Delete an org and all in it',
    about: 'With its groups, and all their profiles, things, webhooks and messages.',
    audit: 'org',
    removes: true,
  },
  listOrgs: list(all),
  searchOrgs: search(all),
});
