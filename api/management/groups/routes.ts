import type { Database } from '../../stores/database.ts';
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
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
import { scopeOf } from '../../access/reach.ts';
import { mustExist, present } from '../../http/errors.ts';
import { batchBodyBytesMax } from '../../limits.ts';
import { envelope } from '../../http/query/page.ts';
import { readSearch } from '../../http/query/query.ts';
import { type Api, batchOf, Empty, IdParams, NoParams } from '../../http/schemas.ts';
import {
  deleteGroup,
  deleteGroups,
  findGroup,
  findGroupOfProfile,
  findGroupOfThing,
  findGroups,
  type GroupToInsert,
  insertGroups,
  updateGroup,
} from './sql.ts';

/** The platform's clients send one group, or a list. Not a union: its errors would tell of both. */
const OneOrMoreGroups = Type.Unsafe<NewGroup | NewGroup[]>({
  if: { type: 'array' },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: batchOf(NewGroup),
  else: NewGroup,
});

/** Each place whose groups are listed and searched. */
const places = [
  { of: 'all', url: '/groups', list: 'listGroups', search: 'searchGroups' },
  { of: 'org', url: '/orgs/:id/groups', list: 'listOrgGroups', search: 'searchOrgGroups' },
] as const;

/** A list for a list; one group is answered without a body. */
const GroupsOrEmpty = Type.Unsafe<{ groups: Group[] } | undefined>(
  Type.Object({
    groups: about(Type.Array(Group), 'Groups that were made, in the order they were given.'),
  }),
);

export function groupRoutes(
  api: Api,
  { db, announceKeyChanges }: { db: Database; announceKeyChanges: () => void },
): void {
  api.route({
    method: 'POST',
    url: '/orgs/:id/groups',
    bodyLimit: batchBodyBytesMax,
    schema: {
      params: IdParams,
      body: OneOrMoreGroups,
      response: { 201: GroupsOrEmpty },
    },
    config: { operation: 'createGroups' },
    handler: async (request, reply) => {
      const { body } = request;
      const given = Array.isArray(body) ? body.map(withDefaults) : [withDefaults(body)];
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

  for (const { of, url, list, search } of places) {
    const params = of === 'all' ? NoParams : IdParams;

    api.route({
      method: 'GET',
      url,
      schema: { params, querystring: GroupsQuery, response: { 200: Groups } },
      config: { operation: list },
      handler: async (request) => {
        const scope = scopeOf(of, request.params);
        const { total, rows } = await findGroups(db, userOf(request), scope, request.query);
        return { ...envelope(request.query, total), groups: rows };
      },
    });

    api.route({
      method: 'POST',
      url: `${url}/search`,
      schema: { params, body: GroupsSearch, response: { 200: Groups } },
      config: { operation: search },
      preValidation: readSearch,
      handler: async (request) => {
        const scope = scopeOf(of, request.params);
        const { total, rows } = await findGroups(db, userOf(request), scope, request.body);
        return { ...envelope(request.body, total), groups: rows };
      },
    });
  }

  api.route({
    method: 'PUT',
    url: '/groups/:id',
    schema: { params: IdParams, body: GroupChange, response: { 200: Empty } },
    config: { operation: 'updateGroup' },
    handler: async (request, reply) => {
      mustExist(await updateGroup(db, request.params.id, request.body), 'group');
      return reply.send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/groups/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'deleteGroup' },
    handler: async (request, reply) => {
      mustExist(await deleteGroup(db, request.params.id), 'group');
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

function withDefaults(group: NewGroup): GroupToInsert {
  return {
    id: randomUUID(),
    name: group.name,
    description: group.description ?? '',
    metadata: group.metadata ?? {},
    retentionDays: group.retention_days ?? null,
  };
}
