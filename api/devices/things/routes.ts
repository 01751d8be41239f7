import type { KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { Database } from '../../stores/database.ts';
import { Type } from 'typebox';
import { about, JsonObject, Uuid } from '../../../schemas/http/common.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import {
  ExternalKey,
  NewThing,
  Thing,
  ThingChange,
  ThingIds,
  ThingMetadata,
  ThingMove,
  Things,
  ThingsQuery,
  ThingsSearch,
} from '../../../schemas/resources/thing.ts';
import { type CallerDependencies, findCaller } from '../../access/authenticate.ts';
import { callerOf, userOf } from '../../access/caller.ts';
import { listRoutes } from '../../access/list-routes.ts';
import { mustExist, present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, batchOf, Empty, IdParams } from '../../http/schemas.ts';
import { shownTo, store, withKeysEach } from './keys.ts';
import { countMessagesSince, type MessagesSinceDependencies } from './messages-since.ts';
import { moveThingFor } from './move.ts';
import { findThings } from './list-sql.ts';
import { findMetadata, mergeMetadata } from './metadata-sql.ts';
import {
  deleteThing,
  deleteThings,
  findThing,
  insertThings,
  updateExternalKey,
  updateThing,
} from './sql.ts';

const MadeThings = Type.Object({
  things: about(Type.Array(Thing), 'Things that were made, in the order they were given.'),
});

/** Each place whose things are listed and searched. */
const places = [
  { of: 'all', url: '/things', list: 'listThings', search: 'searchThings' },
  { of: 'org', url: '/orgs/:id/things', list: 'listOrgThings', search: 'searchOrgThings' },
  { of: 'group', url: '/groups/:id/things', list: 'listGroupThings', search: 'searchGroupThings' },
  {
    of: 'profile',
    url: '/profiles/:id/things',
    list: 'listProfileThings',
    search: 'searchProfileThings',
  },
] as const;

const KeyToIdentify = Type.Object({
  key: about(Type.String({ minLength: 1, maxLength: 4096 }), 'Key of a thing.', 'meter-0007'),
  type: about(
    Type.Enum(['internal', 'external']),
    '`internal`: the key of the thing; `external`: its external key.',
    'external',
  ),
});

export type ThingDependencies = CallerDependencies &
  MessagesSinceDependencies & {
    db: Database;
    vault: KeyVault;
    announceKeyChanges: () => void;
  };

export function thingRoutes(api: Api, dependencies: ThingDependencies): void {
  addCreation(api, dependencies);
  addReading(api, dependencies);
  addChanges(api, dependencies);
  addDeletion(api, dependencies);
  addKeys(api, dependencies);
  addOwn(api, dependencies);
}

/** A batch of things of a profile. */
function addCreation(api: Api, { db, vault, announceKeyChanges }: ThingDependencies): void {
  api.route({
    method: 'POST',
    url: '/profiles/:id/things',
    bodyLimit: limits.batchBodyBytesMax,
    schema: { params: IdParams, body: batchOf(NewThing), response: { 201: MadeThings } },
    config: { operation: 'createThings' },
    handler: async (request, reply) => {
      const profileId = request.params.id.toLowerCase();
      const made = await withKeysEach(vault, request.body);
      const groupId = present(
        await insertThings(
          db,
          profileId,
          made.map(({ row }) => row),
        ),
        'profile',
      );
      announceKeyChanges();
      const things = made.map(({ given, key, row }) => ({
        id: row.id,
        group_id: groupId,
        profile_id: profileId,
        name: row.name,
        type: row.type,
        key,
        ...(given.external_key === undefined ? {} : { external_key: given.external_key }),
        metadata: row.metadata,
        last_seen: null,
      }));
      return reply.status(201).send({ things });
    },
  });
}

/** A thing, and lists of things. */
function addReading(api: Api, dependencies: ThingDependencies): void {
  const { db, vault } = dependencies;
  api.route({
    method: 'GET',
    url: '/things/:id',
    schema: { params: IdParams, response: { 200: Thing } },
    config: { operation: 'viewThing' },
    handler: async (request) =>
      shownTo(request.role, vault, present(await findThing(db, request.params.id), 'thing')),
  });

  const lists = { query: ThingsQuery, search: ThingsSearch, answer: Things };
  listRoutes(api, places, lists, async (user, scope, query, signal) => {
    const { total, rows, next } = await findThings(db, user, scope, query);
    const ids = rows.map(({ thing }) => thing.id);
    const since = query.messages_since;
    const counts =
      since === undefined
        ? undefined
        : await countMessagesSince(dependencies, user, ids, since, signal);
    const things = rows.map(({ thing, role }) => ({
      ...shownTo(role, vault, thing),
      ...(counts === undefined ? {} : { messages: counts.get(thing.id) ?? 0 }),
    }));
    return { ...envelope(query, total), things, ...(next === undefined ? {} : { next }) };
  });
}

/** Changes of things, one and several. */
function addChanges(api: Api, { db, vault, announceKeyChanges }: ThingDependencies): void {
  api.route({
    method: 'PUT',
    url: '/things',
    schema: { body: batchOf(ThingMetadata), response: { 200: Empty } },
    config: { operation: 'updateThingsMetadata' },
    handler: async (request, reply) => {
      mustDiffer(request.body.map(({ id }) => id.toLowerCase()));
      await mergeMetadata(db, userOf(request), request.body);
      return reply.send();
    },
  });

  api.route({
    method: 'PUT',
    url: '/things/:id',
    schema: { params: IdParams, body: ThingChange, response: { 200: Empty } },
    config: { operation: 'updateThing' },
    handler: async (request, reply) => {
      const { name, type, key, metadata } = request.body;
      const change = {
        name,
        type,
        key: key === undefined ? undefined : store(vault, 'internal', key),
        metadata: metadata === null ? {} : metadata,
      };
      mustExist(await updateThing(db, request.params.id, change), 'thing');
      announceKeyChanges();
      return reply.send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/things/:id',
    schema: { params: IdParams, body: ThingMove, response: { 200: Empty } },
    config: { operation: 'moveThing' },
    handler: async (request, reply) => {
      await moveThingFor(db, userOf(request), request.params.id, request.body);
      announceKeyChanges();
      return reply.send();
    },
  });
}

/** Deletion, of one and of several. */
function addDeletion(api: Api, { db, announceKeyChanges }: ThingDependencies): void {
  api.route({
    method: 'DELETE',
    url: '/things/:id',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'deleteThing' },
    handler: async (request, reply) => {
      mustExist(await deleteThing(db, request.params.id), 'thing');
      announceKeyChanges();
      return reply.status(204).send();
    },
  });

  api.route({
    method: 'PATCH',
    url: '/things',
    schema: { body: ThingIds, response: { 204: Empty } },
    config: { operation: 'deleteThings' },
    handler: async (request, reply) => {
      await deleteThings(db, userOf(request), request.body.thing_ids);
      announceKeyChanges();
      return reply.status(204).send();
    },
  });
}

/** External keys, and the routes for things. */
function addKeys(api: Api, dependencies: ThingDependencies): void {
  const { db, vault, announceKeyChanges } = dependencies;

  api.route({
    method: 'PATCH',
    url: '/things/:id/external-key',
    schema: {
      params: IdParams,
      body: Type.Object({
        key: about(
          ExternalKey,
          'External key, which no other thing has: 5 to 1,024 characters.',
          'meter-0007',
        ),
      }),
      response: { 201: Empty },
    },
    config: { operation: 'setExternalKey' },
    handler: async (request, reply) => {
      const key = store(vault, 'external', request.body.key);
      mustExist(await updateExternalKey(db, request.params.id, key), 'thing');
      announceKeyChanges();
      return reply.status(201).send();
    },
  });

  api.route({
    method: 'DELETE',
    url: '/things/:id/external-key',
    schema: { params: IdParams, response: { 204: Empty } },
    config: { operation: 'removeExternalKey' },
    handler: async (request, reply) => {
      mustExist(await updateExternalKey(db, request.params.id, undefined), 'thing');
      announceKeyChanges();
      return reply.status(204).send();
    },
  });
}

/** The metadata that a thing reads itself, and the thing that has a key. */
function addOwn(api: Api, dependencies: ThingDependencies): void {
  const { db, vault } = dependencies;

  api.route({
    method: 'GET',
    url: '/metadata',
    schema: {
      response: {
        200: Type.Object({
          metadata: about(JsonObject, 'Metadata of the thing.', { place: 'hall' }),
        }),
      },
    },
    config: { operation: 'viewOwnMetadata' },
    handler: async (request) => present(await findMetadata(db, callerOf(request).id), 'thing'),
  });

  api.route({
    method: 'POST',
    url: '/identify',
    bodyLimit: limits.openBodyBytesMax,
    schema: {
      body: KeyToIdentify,
      response: { 200: Type.Object({ id: about(Uuid, 'Id of the thing that has the key.') }) },
    },
    config: { operation: 'identifyThing' },
    handler: async (request) => {
      const { type: keyKind, key } = request.body;
      const credential = { kind: 'thingKey', keyKind, lookup: vault.lookup(keyKind, key) } as const;
      const thing = await findCaller(dependencies, credential, request.clientAddress);
      if (typeof thing === 'string') throw new DomainError('not_found', 'thing');
      const { id } = thing;
      return { id };
    },
  });
}

/** @throws DomainError `malformed` if one is given twice. */
function mustDiffer(ids: string[]): void {
  if (new Set(ids).size < ids.length) throw new DomainError('malformed', 'id is given twice');
}
