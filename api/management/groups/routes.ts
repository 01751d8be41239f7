import type { Database } from '../../stores/database.ts';
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
import { userOf } from '../../access/caller.ts';
import { listRoutes } from '../../access/list-routes.ts';
import { mustExist, present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, batchOf, Empty, IdParams } from '../../http/schemas.ts';
import { deleteContainer, updateContainer } from '../containers.ts';
import {
  deleteGroups,
  findGroup,
  findGroupOfProfile,
  findGroupOfThing,
  findGroups,
  insertGroups,
} from './sql.ts';

/** The platform's clients send one group, or a list. */
const OneOrMoreGroups = listOr(batchOf(NewGroup), NewGroup);

/** Each place whose groups are listed and searched. */
const places = [
  { of: 'all', url: '/groups', list: 'listGroups', search: 'searchGroups' },
  { of: 'org', url: '/orgs/:id/groups', list: 'listOrgGroups', search: 'searchOrgGroups' },
] as const;

/** A list is answered with a list, one group without a body. */
const GroupsOrEmpty = Type.Unsafe<{ groups: Group[] } | undefined>(
  Type.Object({
    groups: about(Type.Array(Group), 'Groups that were made, in the order they were given.'),
  }),
);

export type GroupDependencies = { db: Database; announceKeyChanges: () => void };

export function groupRoutes(api: Api, dependencies: GroupDependencies): void {
  addCreationAndReading(api, dependencies);
  addChanges(api, dependencies);
  addGroupsOfOthers(api, dependencies);
}

/** Creation, a group, and lists of groups. */
function addCreationAndReading(api: Api, { db }: GroupDependencies): void {
  api.route({
    method: 'POST',
    url: '/orgs/:id/groups',
    bodyLimit: limits.batchBodyBytesMax,
    schema: {
      params: IdParams,
      body: OneOrMoreGroups,
      response: { 201: GroupsOrEmpty },
    },
    config: { operation: 'createGroups' },
    handler: async (request, reply) => {
      const { body } = request;
      const given = Array.isArray(body) ? body : [body];
      const groups = await insertGroups(db, request.params.id, userOf(request).id, given);
      if (Array.isArray(body)) return reply.status(201).send({ groups });
      return reply.status(201).header('location', `/groups/${groups[0]?.id}`).send(undefined);
    },
  });

  api.route({
    method: 'GET',
    url: '/groups/:id',
    schema: { params: IdParams, response: { 200: Group } },
    config: { operation: 'viewGroup' },
    handler: async (request) => present(await findGroup(db, request.params.id), 'group'),
  });

  const lists = { query: GroupsQuery, search: GroupsSearch, answer: Groups };
  listRoutes(api, places, lists, async (user, scope, query) => {
    const { total, rows } = await findGroups(db, user, scope, query);
    return { ...envelope(query, total), groups: rows };
  });
}

/** Changes and deletion. */
function addChanges(api: Api, { db, announceKeyChanges }: GroupDependencies): void {
  api.route({
    method: 'PUT',
    url: '/groups/:id',
    schema: { params: IdParams, body: GroupChange, response: { 200: Empty } },
    config: { operation: 'updateGroup' },
    handler: async (request, reply) => {
      mustExist(await updateContainer(db, 'groups', request.params.id, request.body), 'group');
      return reply.send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/groups/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'deleteGroup' },
    handler: async (request, reply) => {
      mustExist(await deleteContainer(db, 'groups', request.params.id), 'group');
      announceKeyChanges();
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/groups',
    schema: { body: GroupIds, response: { 204: Empty } },
    config: { operation: 'deleteGroups' },
    handler: async (request, reply) => {
      await deleteGroups(db, userOf(request), request.body.group_ids);
      announceKeyChanges();
      return reply.status(204).send();
    },
  });
}

/** The group of a thing, and of a profile. */
function addGroupsOfOthers(api: Api, { db }: GroupDependencies): void {
  api.route({
    method: 'GET',
    url: '/things/:id/groups',
    schema: { params: IdParams, response: { 200: Group } },
    config: { operation: 'viewThingGroup' },
    handler: async (request) => present(await findGroupOfThing(db, request.params.id), 'group'),
  });

  api.route({
    method: 'GET',
    url: '/profiles/:id/groups',
    schema: { params: IdParams, response: { 200: Group } },
    config: { operation: 'viewProfileGroup' },
    handler: async (request) => present(await findGroupOfProfile(db, request.params.id), 'group'),
  });
}
