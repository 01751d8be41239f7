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
import { PreviewedProfile, ProfilePreview } from '../../../schemas/resources/profile-preview.ts';
import { listing, type ListPlace } from '../../http/listing.ts';
import { operations } from '../../http/operation.ts';
import { batchOf, Empty } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';

const MadeProfiles = Type.Object({
  profiles: about(Type.Array(Profile), 'Profiles that were made, in the order they were given.'),
});

const all: ListPlace = { path: '/profiles', needs: { kind: 'user' }, what: 'one’s profiles' };
const inGroup: ListPlace = {
  path: '/groups/:id/profiles',
  needs: { kind: 'member', role: 'viewer', of: 'group' },
  what: 'the profiles of a group',
};
const inOrg: ListPlace = {
  path: '/orgs/:id/profiles',
  needs: { kind: 'member', role: 'viewer', of: 'org' },
  what: 'one’s profiles in an org',
};
const { list, search } = listing({
  query: ProfilesQuery,
  search: ProfilesSearch,
  answer: Profiles,
});

export const profiles = operations('profiles', {
  createProfiles: {
    method: 'POST',
    path: '/groups/:id/profiles',
    needs: { kind: 'member', role: 'editor', of: 'group' },
    body: batchOf(NewProfile),
    bodyBytesMax: limits.batchBodyBytesMax,
    answers: { 201: MadeProfiles },
    summary: 'Create profiles',
    about: 'All of them or none.',
    errors: ['conflict'],
    location: 'the profile, where it is one',
    audit: 'profile',
  },
  previewProfile: {
    method: 'POST',
    reads: true,
    path: '/groups/:id/profiles/preview',
    needs: { kind: 'member', role: 'viewer', of: 'group' },
    body: ProfilePreview,
    answers: { 200: PreviewedProfile },
    summary: 'Try a profile on a JSON message, before it is saved',
    about:
      'With the transformer of the edges. Nothing is stored. The limits of an edge on what a message has are not tried.',
  },
  viewProfile: {
    method: 'GET',
    path: '/profiles/:id',
    needs: { kind: 'member', role: 'viewer', of: 'profile' },
    answers: { 200: Profile },
    summary: 'View a profile',
  },
  viewThingProfile: {
    method: 'GET',
    path: '/things/:id/profiles',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    answers: { 200: Profile },
    summary: 'View the profile of a thing',
  },
  listProfiles: list(all),
  searchProfiles: search(all),
  listGroupProfiles: list(inGroup),
  searchGroupProfiles: search(inGroup),
  listOrgProfiles: list(inOrg),
  searchOrgProfiles: search(inOrg),
  updateProfile: {
    method: 'PUT',
    path: '/profiles/:id',
    needs: { kind: 'member', role: 'editor', of: 'profile' },
    body: ProfileChange,
    answers: { 200: Empty },
    summary: 'Change a profile',
    errors: ['conflict'],
    audit: 'profile',
  },
  deleteProfile: {
    method: 'DELETE',
    path: '/profiles/:id',
    needs: { kind: 'member', role: 'admin', of: 'profile' },
    answers: { 204: Empty },
    summary: 'Delete a profile no thing has',
    errors: ['conflict'],
    audit: 'profile',
    removes: true,
  },
  /** For an admin of each of them. */
  deleteProfiles: {
    method: 'PATCH',
    path: '/profiles',
    needs: { kind: 'user' },
    body: ProfileIds,
    answers: { 204: Empty },
    summary: 'Delete several profiles no thing has, all or none',
    errors: ['forbidden', 'not_found', 'conflict'],
    audit: 'profile',
    removes: true,
  },
});
