import { Type } from 'typebox';
import { about, listOr } from '../../../schemas/http/common.ts';
import {
  Group,
  GroupChange,
  GroupIds,
  Groups,
  GroupsQuery,
  GroupsSearch,
  NewGroup,
} from '../../../schemas/resources/group.ts';
import { listing, type ListPlace } from '../../http/listing.ts';
import { operations } from '../../http/operation.ts';
import { batchOf, Empty } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';

/** The platform's clients send one group, or a list. */
const OneOrMoreGroups = listOr(batchOf(NewGroup), NewGroup);

/** For a list is answered with a list, one group without a body. */
const GroupsOrEmpty = Type.Unsafe<{ groups: Group[] } | undefined>(
  Type.Object({
    groups: about(Type.Array(Group), 'Groups that were made, in the order they were given.'),
  }),
);

const all: ListPlace = { path: '/groups', needs: { kind: 'user' }, what: 'one’s groups' };
const inOrg: ListPlace = {
  path: '/orgs/:id/groups',
  needs: { kind: 'member', role: 'viewer', of: 'org' },
  what: 'one’s groups in an org',
};
const { list, search } = listing({
  query: GroupsQuery,
  search: GroupsSearch,
  answer: Groups,
});

export const groups = operations('groups', {
  createGroups: {
    method: 'POST',
    path: '/orgs/:id/groups',
    needs: { kind: 'member', role: 'editor', of: 'org' },
    body: OneOrMoreGroups,
    bodyBytesMax: limits.batchBodyBytesMax,
    answers: { 201: GroupsOrEmpty },
    summary: 'Create a group, or several',
    about: 'A group is answered without a body, by `Location`; a list of them by the list.',
    errors: ['conflict'],
    location: 'the group, where it is one',
    audit: 'group',
  },
  viewGroup: {
    method: 'GET',
    path: '/groups/:id',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    answers: { 200: Group },
    summary: 'View a group',
  },
  listGroups: list(all),
  searchGroups: search(all),
  listOrgGroups: list(inOrg),
  searchOrgGroups: search(inOrg),
  updateGroup: {
    method: 'PUT',
    path: '/groups/:id',
    needs: { kind: 'member', role: 'admin', of: 'group' },
    body: GroupChange,
    answers: { 200: Empty },
    summary: 'Change a group',
    errors: ['conflict'],
    audit: 'group',
  },
  deleteGroup: {
    method: 'DELETE',
    path: '/groups/:id',
    needs: { kind: 'member', role: 'owner', of: 'group' },
    answers: { 204: Empty },
    summary: 'Delete a group and all in it',
    about: 'With its profiles, things, webhooks and messages.',
    audit: 'group',
    removes: true,
  },
  /** For the owner of each of them. */
  deleteGroups: {
    method: 'PATCH',
    path: '/groups',
    needs: { kind: 'user' },
    body: GroupIds,
    answers: { 204: Empty },
    summary: 'Delete several groups and all in them, all or none',
    errors: ['forbidden', 'not_found'],
    audit: 'group',
    removes: true,
  },
  viewThingGroup: {
    method: 'GET',
    path: '/things/:id/groups',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    answers: { 200: Group },
    summary: 'View the group of a thing',
  },
  viewProfileGroup: {
    method: 'GET',
    path: '/profiles/:id/groups',
    needs: { kind: 'member', role: 'viewer', of: 'profile' },
    answers: { 200: Group },
    summary: 'View the group of a profile',
  },
});
