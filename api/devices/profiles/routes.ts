import type { Database } from '../../stores/database.ts';
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { about } from '../../../schemas/http/common.ts';
import {
  NewProfile,
  Profile,
  ProfileChange,
  ProfileIds,
  Profiles,
  ProfilesQuery,
  ProfilesSearch,
} from '../../../schemas/resources/profile.ts';
import { userOf } from '../../access/caller.ts';
import { listRoutes } from '../../access/list-routes.ts';
import { mustExist, present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, batchOf, Empty, IdParams } from '../../http/schemas.ts';
import {
  deleteProfile,
  deleteProfiles,
  findProfile,
  findProfileOfThing,
  findProfiles,
  insertProfiles,
  updateProfile,
} from './sql.ts';

const MadeProfiles = Type.Object({
  profiles: about(Type.Array(Profile), 'Profiles that were made, in the order they were given.'),
});

/** Each place whose profiles are listed and searched. */
const places = [
  { of: 'all', url: '/profiles', list: 'listProfiles', search: 'searchProfiles' },
  {
    of: 'group',
    url: '/groups/:id/profiles',
    list: 'listGroupProfiles',
    search: 'searchGroupProfiles',
  },
  { of: 'org', url: '/orgs/:id/profiles', list: 'listOrgProfiles', search: 'searchOrgProfiles' },
] as const;

export function profileRoutes(
  api: Api,
  { db, announceKeyChanges }: { db: Database; announceKeyChanges: () => void },
): void {
  api.route({
    method: 'POST',
    url: '/groups/:id/profiles',
    bodyLimit: limits.batchBodyBytesMax,
    schema: { params: IdParams, body: batchOf(NewProfile), response: { 201: MadeProfiles } },
    config: { operation: 'createProfiles' },
    handler: async (request, reply) => {
      const groupId = request.params.id.toLowerCase();
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
    handler: async (request) => present(await findProfile(db, request.params.id), 'profile'),
  });

  api.route({
    method: 'GET',
    url: '/things/:id/profiles',
    schema: { params: IdParams, response: { 200: Profile } },
    config: { operation: 'viewThingProfile' },
    handler: async (request) => present(await findProfileOfThing(db, request.params.id), 'profile'),
  });

  const lists = { query: ProfilesQuery, search: ProfilesSearch, answer: Profiles };
  listRoutes(api, places, lists, async (user, scope, query) => {
    const { total, rows } = await findProfiles(db, user, scope, query);
    return { ...envelope(query, total), profiles: rows };
  });

  api.route({
    method: 'PUT',
    url: '/profiles/:id',
    schema: { params: IdParams, body: ProfileChange, response: { 200: Empty } },
    config: { operation: 'updateProfile' },
    handler: async (request, reply) => {
      mustExist(await updateProfile(db, request.params.id, request.body), 'profile');
      announceKeyChanges();
      return reply.send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/profiles/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'deleteProfile' },
    handler: async (request, reply) => {
      mustExist(await deleteProfile(db, request.params.id), 'profile');
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/profiles',
    schema: { body: ProfileIds, response: { 204: Empty } },
    config: { operation: 'deleteProfiles' },
    handler: async (request, reply) => {
      await deleteProfiles(db, userOf(request), request.body.profile_ids);
      return reply.status(204).send();
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
