import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { Group, NewGroup } from '../../schemas/group.ts';
import { userOf } from '../access/caller.ts';
import { present } from '../errors.ts';
import { batchBodyBytesMax } from '../limits.ts';
import type { Parts } from '../parts.ts';
import { type Api, batchOf, IdParams } from '../shapes.ts';
import { findGroup, type GroupToInsert, insertGroups } from './sql.ts';

/** The platform's clients send one group, or a list. Not a union: its errors would tell of both. */
const OneOrMoreGroups = Type.Unsafe<NewGroup | NewGroup[]>({
  if: { type: 'array' },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: batchOf(NewGroup),
  else: NewGroup,
});

/** A list for a list; one group is answered without a body. */
const GroupsOrEmpty = Type.Unsafe<{ groups: Group[] } | undefined>(
  Type.Object({ groups: Type.Array(Group) }),
);

export function groupRoutes(api: Api, { db }: Pick<Parts, 'db'>): void {
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
    handler: async (request) => present(await findGroup(db, request.params.id)),
  });
}

function withDefaults(group: NewGroup): GroupToInsert {
  return {
    id: randomUUID(),
    name: group.name,
    description: group.description ?? '',
    metadata: group.metadata ?? {},
  };
}
