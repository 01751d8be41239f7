import { Type } from 'typebox';
import { about, JsonObject, Uuid } from '../../../schemas/http/common.ts';
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
  ThingValues,
  ThingValuesSearch,
} from '../../../schemas/resources/thing.ts';
import { NextMessageAnswer, NextMessageQuery } from '../../../schemas/resources/next-message.ts';
import { listing, type ListPlace } from '../../http/listing.ts';
import { operations } from '../../http/operation.ts';
import { batchOf, Empty } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';

const MadeThings = Type.Object({
  things: about(Type.Array(Thing), 'Things that were made, in the order they were given.'),
});

const KeyToIdentify = Type.Object({
  key: about(Type.String({ minLength: 1, maxLength: 4096 }), 'Key of a thing.', 'meter-0007'),
  type: about(
    Type.Enum(['internal', 'external']),
    '`internal`: the key of the thing; `external`: its external key.',
    'external',
  ),
});

const all: ListPlace = { path: '/things', needs: { kind: 'user' }, what: 'one’s things' };
const inOrg: ListPlace = {
  path: '/orgs/:id/things',
  needs: { kind: 'member', role: 'viewer', of: 'org' },
  what: 'one’s things in an org',
};
const inGroup: ListPlace = {
  path: '/groups/:id/things',
  needs: { kind: 'member', role: 'viewer', of: 'group' },
  what: 'the things of a group',
};
const ofProfile: ListPlace = {
  path: '/profiles/:id/things',
  needs: { kind: 'member', role: 'viewer', of: 'profile' },
  what: 'the things of a profile',
};
const { list, search } = listing({ query: ThingsQuery, search: ThingsSearch, answer: Things });

export const things = operations('things', {
  createThings: {
    method: 'POST',
    path: '/profiles/:id/things',
    needs: { kind: 'member', role: 'editor', of: 'profile' },
    body: batchOf(NewThing),
    bodyBytesMax: limits.batchBodyBytesMax,
    answers: { 201: MadeThings },
    summary: 'Create things',
    about: 'All of them or none. Each gets a key.',
    errors: ['conflict'],
    audit: 'thing',
  },
  viewThing: {
    method: 'GET',
    path: '/things/:id',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    answers: { 200: Thing },
    summary: 'View a thing',
  },
  listThings: list(all),
  searchThings: search(all),
  listOrgThings: list(inOrg),
  searchOrgThings: search(inOrg),
  listGroupThings: list(inGroup),
  searchGroupThings: search(inGroup),
  listProfileThings: list(ofProfile),
  searchProfileThings: search(ofProfile),
  searchThingValues: {
    method: 'POST',
    reads: true,
    path: '/things/values/search',
    needs: { kind: 'user' },
    body: ThingValuesSearch,
    answers: { 200: ThingValues },
    summary: 'The newest values of several things, and how they went',
    about:
      'One request for a page of things: when each was heard last, and of each series its newest value since `since`. Things that the caller may not see are left out.',
  },
  awaitNextMessage: {
    method: 'GET',
    // A HEAD would wait for the message, and send nothing of it.
    head: false,
    path: '/things/:id/next-message',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    query: NextMessageQuery,
    answers: { 200: NextMessageAnswer },
    summary: 'Wait for the next message of a thing, and see it as it came',
    about:
      'Before its profile made anything of it, and whether it was taken. What a gateway sends for the thing is its message, too. Messages that came before are not kept as they were sent. One that is refused before it is read is not told: for its key, its subtopic or topic, or a body over the limit.',
    errors: ['too_many', 'unavailable'],
  },
  /** For an editor of each of them. */
  updateThingsMetadata: {
    method: 'PUT',
    path: '/things',
    needs: { kind: 'user' },
    body: batchOf(ThingMetadata),
    answers: { 200: Empty },
    summary: 'Merge into the metadata of several things',
    about: 'All of them or none. Members are merged, one level deep, and those in `remove` go.',
    errors: ['forbidden', 'not_found'],
    audit: 'thing',
  },
  updateThing: {
    method: 'PUT',
    path: '/things/:id',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    body: ThingChange,
    answers: { 200: Empty },
    summary: 'Change a thing',
    errors: ['conflict'],
    audit: 'thing',
  },
  /** For an editor where it is and where it goes. */
  moveThing: {
    method: 'PATCH',
    path: '/things/:id',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    body: ThingMove,
    answers: { 200: Empty },
    summary: 'Give a thing another profile, in its group or another',
    about: 'Editors of both groups may.',
    errors: ['conflict'],
    audit: 'thing',
  },
  deleteThing: {
    method: 'DELETE',
    path: '/things/:id',
    needs: { kind: 'member', role: 'admin', of: 'thing' },
    answers: { 204: Empty },
    summary: 'Delete a thing',
    about: 'Its keys fail within a second; its messages are removed in the background.',
    audit: 'thing',
    removes: true,
  },
  /** For an admin of each of them. */
  deleteThings: {
    method: 'PATCH',
    path: '/things',
    needs: { kind: 'user' },
    body: ThingIds,
    answers: { 204: Empty },
    summary: 'Delete several things, all or none',
    errors: ['forbidden', 'not_found'],
    audit: 'thing',
    removes: true,
  },
  setExternalKey: {
    method: 'PATCH',
    path: '/things/:id/external-key',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    body: Type.Object({
      key: about(
        ExternalKey,
        'External key, which no other thing has: 5 to 1,024 characters.',
        'meter-0007',
      ),
    }),
    answers: { 201: Empty },
    summary: 'Set a thing’s external key',
    errors: ['conflict'],
    audit: 'thing',
  },
  removeExternalKey: {
    method: 'DELETE',
    path: '/things/:id/external-key',
    needs: { kind: 'member', role: 'editor', of: 'thing' },
    answers: { 204: Empty },
    summary: 'Remove a thing’s external key',
    audit: 'thing',
    removes: true,
  },
  viewOwnMetadata: {
    method: 'GET',
    path: '/metadata',
    needs: { kind: 'thing' },
    answers: {
      200: Type.Object({
        metadata: about(JsonObject, 'Metadata of the thing.', { place: 'hall' }),
      }),
    },
    summary: 'As a thing, read one’s metadata',
  },
  identifyThing: {
    method: 'POST',
    path: '/identify',
    needs: { kind: 'anyone' },
    body: KeyToIdentify,
    bodyBytesMax: limits.openBodyBytesMax,
    answers: { 200: Type.Object({ id: about(Uuid, 'Id of the thing that has the key.') }) },
    summary: 'Find the thing of a key',
    errors: ['not_found', 'too_many'],
  },
});
