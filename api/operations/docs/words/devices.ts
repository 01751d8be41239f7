import { conflict, others, type OperationDocs } from './operation.ts';

/** What the documentation says of the operations of profiles, things, certificates and webhooks. */
export const devices = {
  createProfiles: {
    tag: 'profiles',
    about: 'All of them or none.',
    summary: 'Create profiles',
    errors: conflict,
    location: 'the profile, where it is one',
  },
  viewProfile: { tag: 'profiles', summary: 'View a profile' },
  viewThingProfile: { tag: 'profiles', summary: 'View the profile of a thing' },
  listProfiles: { tag: 'profiles', summary: 'List one’s profiles' },
  listGroupProfiles: { tag: 'profiles', summary: 'List the profiles of a group' },
  listOrgProfiles: { tag: 'profiles', summary: 'List one’s profiles in an org' },
  searchProfiles: {
    tag: 'profiles',
    about: 'The members of the body are those of the list’s query. No body is a search for all.',
    summary: 'Search one’s profiles',
  },
  searchGroupProfiles: { tag: 'profiles', summary: 'Search the profiles of a group' },
  searchOrgProfiles: { tag: 'profiles', summary: 'Search one’s profiles in an org' },
  updateProfile: { tag: 'profiles', summary: 'Change a profile', errors: conflict },
  deleteProfile: { tag: 'profiles', summary: 'Delete a profile no thing has', errors: conflict },
  deleteProfiles: {
    tag: 'profiles',
    summary: 'Delete several profiles no thing has, all or none',
    errors: ['forbidden', 'not_found', 'conflict'],
  },

  createThings: {
    tag: 'things',
    about: 'All of them or none. Each gets a key.',
    summary: 'Create things',
    errors: conflict,
  },
  viewThing: { tag: 'things', summary: 'View a thing' },
  listThings: { tag: 'things', summary: 'List one’s things' },
  listGroupThings: { tag: 'things', summary: 'List the things of a group' },
  listProfileThings: { tag: 'things', summary: 'List the things of a profile' },
  listOrgThings: { tag: 'things', summary: 'List one’s things in an org' },
  searchThings: {
    tag: 'things',
    about: 'The members of the body are those of the list’s query. No body is a search for all.',
    summary: 'Search one’s things',
  },
  searchGroupThings: { tag: 'things', summary: 'Search the things of a group' },
  searchProfileThings: { tag: 'things', summary: 'Search the things of a profile' },
  searchOrgThings: { tag: 'things', summary: 'Search one’s things in an org' },
  updateThing: { tag: 'things', summary: 'Change a thing', errors: conflict },
  moveThing: {
    tag: 'things',
    about: 'Editors of both groups may.',
    summary: 'Give a thing another profile, in its group or another',
    errors: conflict,
  },
  updateThingsMetadata: {
    tag: 'things',
    about: 'All of them or none. Members are merged, one level deep.',
    summary: 'Merge into the metadata of several things',
    errors: others,
  },
  deleteThing: {
    tag: 'things',
    about: 'Its keys fail within a second; its messages are removed in the background.',
    summary: 'Delete a thing',
  },
  deleteThings: {
    tag: 'things',
    summary: 'Delete several things, all or none',
    errors: others,
  },
  setExternalKey: { tag: 'things', summary: 'Set a thing’s external key', errors: conflict },
  removeExternalKey: { tag: 'things', summary: 'Remove a thing’s external key' },
  viewOwnMetadata: { tag: 'things', summary: 'As a thing, read one’s metadata' },
  identifyThing: {
    tag: 'things',
    summary: 'Find the thing of a key',
    errors: ['not_found', 'too_many'],
  },

  issueCertificate: {
    tag: 'certificates',
    about: 'The private key is shown once.',
    summary: 'Issue a certificate to a thing; its private key shows here alone',
    errors: ['forbidden', 'not_found', 'too_many'],
  },
  viewCertificate: { tag: 'certificates', summary: 'View a certificate', errors: others },
  renewCertificate: {
    tag: 'certificates',
    summary: 'Issue another of the same kind; the old one goes on until it ends or is revoked',
    errors: ['forbidden', 'not_found', 'conflict', 'too_many'],
  },
  revokeCertificate: { tag: 'certificates', summary: 'Revoke a certificate', errors: others },
  listSerials: {
    tag: 'certificates',
    summary: 'List the certificates of a thing that are not revoked',
  },
  viewRevocationList: {
    tag: 'certificates',
    summary: 'The revocation list, as DER or, where that is accepted, as PEM',
  },
  createWebhooks: {
    tag: 'webhooks',
    summary:
      'Create webhooks of a thing; answered as they were sent, as a list or wrapped, and wrapped where an element has an `id`',
    errors: conflict,
  },
  createGroupWebhooks: {
    tag: 'webhooks',
    summary:
      'Create webhooks of all things of a group, now and later; answered as those of a thing',
    errors: conflict,
  },
  createOrgWebhooks: {
    tag: 'webhooks',
    summary: 'Create webhooks of all things of an org, now and later; answered as those of a thing',
    errors: conflict,
  },
  listThingWebhooks: { tag: 'webhooks', summary: 'List the webhooks of a thing' },
  listGroupWebhooks: {
    tag: 'webhooks',
    summary: 'List the webhooks of a group, and of its things',
  },
  listOrgWebhooks: {
    tag: 'webhooks',
    summary: 'List the webhooks of an org, and of its groups and their things',
  },
  viewWebhook: { tag: 'webhooks', summary: 'View a webhook' },
  updateWebhook: {
    tag: 'webhooks',
    summary:
      'Change a webhook, disable or enable it; a secret that is replaced signs too for a day',
  },
  deleteWebhooks: { tag: 'webhooks', summary: 'Delete webhooks', errors: others },
  pingWebhook: {
    tag: 'webhooks',
    about: 'It is delivered, retried and written down like any other.',
    summary: 'Send a small message to a webhook, to test it',
    errors: conflict,
  },
  listWebhookDeliveries: { tag: 'webhooks', summary: 'List the attempts to deliver to a webhook' },
  replayWebhook: {
    tag: 'webhooks',
    summary: 'Deliver again: one message, those whose last attempt failed, or those of a time',
    errors: conflict,
  },
} as const satisfies Readonly<Record<string, OperationDocs>>;
