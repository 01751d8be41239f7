import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { NewProfile, Profile, ProfileChange } from '../../schemas/profile.ts';
import { mustExist, present } from '../errors.ts';
import { batchBodyBytesMax } from '../limits.ts';
import type { Parts } from '../parts.ts';
import { type Api, batchOf, Empty, IdParams } from '../shapes.ts';
import { findProfile, insertProfiles, updateProfile } from './sql.ts';

const Profiles = Type.Object({ profiles: Type.Array(Profile) });

export function profileRoutes(
  api: Api,
  { db, announceKeyChanges }: Pick<Parts, 'db' | 'announceKeyChanges'>,
): void {
  api.route({
    method: 'POST',
    url: '/groups/:id/profiles',
    bodyLimit: batchBodyBytesMax,
    schema: { params: IdParams, body: batchOf(NewProfile), response: { 201: Profiles } },
    config: { operation: 'createProfiles' },
    handler: async (request, reply) => {
      const groupId = request.params.id;
      const profiles = request.body.map((profile) => complete(profile, groupId));
      await insertProfiles(db, groupId, profiles);
      const [only] = profiles;
      if (profiles.length === 1) reply.header('location', `/profiles/${only?.id}`);
      return reply.status(201).send({ profiles });
    },
  });

  api.route({
    method: 'GET',
    url: '/profiles/:id',
    schema: { params: IdParams, response: { 200: Profile } },
    config: { operation: 'viewProfile' },
    handler: async (request) => present(await findProfile(db, request.params.id)),
  });

  api.route({
    method: 'PUT',
    url: '/profiles/:id',
    schema: { params: IdParams, body: ProfileChange, response: { 200: Empty } },
    config: { operation: 'updateProfile' },
    handler: async (request, reply) => {
      mustExist(await updateProfile(db, request.params.id, request.body));
      announceKeyChanges();
      return reply.send();
    },
  });
}

function complete(given: NewProfile, groupId: string): Profile {
  return {
    id: given.id?.toLowerCase() ?? randomUUID(),
    group_id: groupId,
    name: given.name,
    config: given.config ?? {},
    metadata: given.metadata ?? {},
  };
}
