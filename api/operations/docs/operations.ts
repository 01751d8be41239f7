import type { ErrorCode } from '../../../schemas/http/errors.ts';
import type { Operation } from '../../permissions.ts';

/** The sections of the documentation, in the order they stand there. */
export const tags = {
  users: 'Users, their tokens and passwords',
  keys: 'API keys of users',
  orgs: 'Organizations and their members',
  invites: 'Invitations to an organization, and to the platform',
  groups: 'Groups of an organization, and their members',
  profiles: 'What is done with the messages of things',
  things: 'Devices, and the keys they come with',
  certificates: 'Certificates by which things are known, and what was revoked of them',
  webhooks: 'Where the messages of things are forwarded to, and what became of it',
  messages: 'Messages sent by things, and read back',
  'hierarchical groups': 'The older grouping: trees of groups, whose members are any ids',
  service: 'How the service is, and what it offers',
} as const;

/** What the documentation says of an operation beyond its schemas and its row of permissions. */
export type OperationDocs = {
  tag: keyof typeof tags;
  summary: string;
  /** What is worth knowing beyond the schemas, in whole sentences. */
  about?: string;
  /** Refusals beside those that follow from its credential, its parameters and its body. */
  errors?: readonly ErrorCode[];
  /** What `Location` of the 201 names. */
  location?: string;
};

const conflict = ['conflict'] as const;
const absent = ['not_found'] as const;
/** Who may not is told apart only once it was looked up. */
const others = ['forbidden', 'not_found'] as const;

export const operationDocs: Readonly<Record<Operation, OperationDocs>> = {
  issueToken: {
    tag: 'users',
    about: 'The token is sent as `Authorization: Bearer <token>`. Failed logins are throttled.',
    summary: 'Log in',
    errors: ['login_failed'],
  },
  createUser: {
    tag: 'users',
    about: 'Answers no body: `Location` has the id.',
    summary: 'Create a user',
    errors: conflict,
    location: 'the user',
  },
  viewUser: {
    tag: 'users',
    about: 'Oneself, members of a shared org, and for the platform admin everyone.',
    summary: 'View a user',
    errors: others,
  },
  viewOwnUser: { tag: 'users', summary: 'View oneself' },
  listUsers: {
    tag: 'users',
    about:
      'The platform admin sees all, anyone else themselves and the members of their orgs. The list is named `Users`, and `users` as well.',
    summary: 'List users',
  },
  searchUsers: { tag: 'users', summary: 'Search users' },
  updateOwnMetadata: { tag: 'users', summary: 'Change one’s own metadata' },
  changeOwnPassword: {
    tag: 'users',
    about: 'Ends all tokens that were issued before.',
    summary: 'Change one’s own password',
  },

  issueKey: {
    tag: 'keys',
    about:
      'The key has the rights of its issuer, but can not manage keys. It is sent as `Authorization: Bearer <value>`.',
    summary: 'Issue an API key',
  },
  viewKey: { tag: 'keys', summary: 'View one of one’s API keys', errors: absent },
  listKeys: { tag: 'keys', summary: 'List one’s API keys' },
  revokeKey: {
    tag: 'keys',
    about: 'Takes hold at once.',
    summary: 'Revoke one of one’s API keys',
    errors: absent,
  },

  createOrg: {
    tag: 'orgs',
    about: 'The caller becomes its owner. Answers no body: `Location` has the id.',
    summary: 'Create an org',
    location: 'the org',
  },
  viewOrg: { tag: 'orgs', summary: 'View an org' },
  listOrgs: {
    tag: 'orgs',
    about: 'Those that the caller is a member of; for the platform admin all.',
    summary: 'List one’s orgs',
  },
  searchOrgs: { tag: 'orgs', summary: 'Search one’s orgs' },
  updateOrg: { tag: 'orgs', summary: 'Change an org' },
  deleteOrg: {
    tag: 'orgs',
    about: 'With its groups, and all their profiles, things, webhooks and messages.',
    summary: 'Delete an org and all in it',
  },
  addOrgMembers: {
    tag: 'orgs',
    about: 'All of them or none. Their users must be registered.',
    summary: 'Add members to an org',
    errors: conflict,
  },
  changeOrgRoles: { tag: 'orgs', summary: 'Change roles of an org’s members' },
  removeOrgMembers: { tag: 'orgs', summary: 'Remove members from an org' },
  viewOrgMember: { tag: 'orgs', summary: 'View a member of an org' },
  listOrgMembers: { tag: 'orgs', summary: 'List the members of an org' },

  createOrgInvite: {
    tag: 'invites',
    about: 'A mail is sent to the user.',
    summary: 'Invite a user to an org',
    errors: conflict,
    location: 'the invite',
  },
  listOrgInvites: { tag: 'invites', summary: 'List the invites to an org' },
  viewInvite: { tag: 'invites', summary: 'View an invite of either kind', errors: others },
  acceptInvite: {
    tag: 'invites',
    about: 'For the invitee, who becomes a member of the org and of the groups in the invite.',
    summary: 'Accept an org invite',
    errors: others,
  },
  declineInvite: {
    tag: 'invites',
    about: 'For the invitee.',
    summary: 'Decline an org invite',
    errors: others,
  },
  revokeInvite: {
    tag: 'invites',
    about: 'For the inviter.',
    summary: 'Revoke an org invite',
    errors: others,
  },
  listReceivedInvites: { tag: 'invites', summary: 'List the invites a user got', errors: others },
  listSentInvites: { tag: 'invites', summary: 'List the invites a user sent', errors: others },
  createPlatformInvite: {
    tag: 'invites',
    about: 'A mail is sent. Answers no body: `Location` has the id.',
    summary: 'Invite someone to the platform',
    errors: ['not_found', 'conflict'],
    location: 'the invite',
  },
  listPlatformInvites: { tag: 'invites', summary: 'List the invites to the platform' },
  registerByInvite: {
    tag: 'invites',
    about: 'Makes the account of who was invited. The e-mail must be that of the invite.',
    summary: 'Register as a platform invite’s invitee',
    errors: ['forbidden', 'not_found', 'conflict'],
  },

  createGroups: {
    tag: 'groups',
    about: 'A group is answered without a body, by `Location`; a list of them by the list.',
    summary: 'Create a group, or several',
    errors: conflict,
    location: 'the group, where it is one',
  },
  viewGroup: { tag: 'groups', summary: 'View a group' },
  listGroups: { tag: 'groups', summary: 'List one’s groups' },
  listOrgGroups: { tag: 'groups', summary: 'List one’s groups in an org' },
  searchGroups: { tag: 'groups', summary: 'Search one’s groups' },
  searchOrgGroups: { tag: 'groups', summary: 'Search one’s groups in an org' },
  updateGroup: { tag: 'groups', summary: 'Change a group', errors: conflict },
  deleteGroup: {
    tag: 'groups',
    about: 'With its profiles, things, webhooks and messages.',
    summary: 'Delete a group and all in it',
  },
  deleteGroups: {
    tag: 'groups',
    summary: 'Delete several groups and all in them, all or none',
    errors: others,
  },
  viewThingGroup: { tag: 'groups', summary: 'View the group of a thing' },
  viewProfileGroup: { tag: 'groups', summary: 'View the group of a profile' },
  addGroupMembers: { tag: 'groups', summary: 'Add members to a group', errors: conflict },
  changeGroupRoles: { tag: 'groups', summary: 'Change roles of a group’s members' },
  removeGroupMembers: { tag: 'groups', summary: 'Remove members from a group' },
  listGroupMembers: { tag: 'groups', summary: 'List the members of a group' },

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
      'Change a webhook, and enable it if it was disabled; a secret that is replaced signs too for a day',
  },
  deleteWebhooks: { tag: 'webhooks', summary: 'Delete webhooks', errors: others },
  pingWebhook: {
    tag: 'webhooks',
    about: 'It is delivered, retried and written down like any other.',
    summary: 'Send a small message to a webhook, to try it',
    errors: conflict,
  },
  listWebhookDeliveries: { tag: 'webhooks', summary: 'List the tries to deliver to a webhook' },
  replayWebhook: {
    tag: 'webhooks',
    summary: 'Deliver again: one message, those whose last try failed, or those of a time',
    errors: conflict,
  },

  createTreeGroup: {
    tag: 'hierarchical groups',
    summary: 'Create a hierarchical group',
    errors: ['forbidden', 'not_found', 'conflict'],
    location: 'the group',
  },
  viewTreeGroup: {
    tag: 'hierarchical groups',
    summary: 'View a hierarchical group',
    errors: absent,
  },
  listTreeParents: {
    tag: 'hierarchical groups',
    summary: 'List a hierarchical group and its ancestors',
    errors: absent,
  },
  listTreeChildren: {
    tag: 'hierarchical groups',
    summary: 'List a hierarchical group and its descendants',
    errors: absent,
  },
  updateTreeGroup: {
    tag: 'hierarchical groups',
    summary: 'Change a hierarchical group',
    errors: ['forbidden', 'not_found', 'conflict'],
  },
  deleteTreeGroup: {
    tag: 'hierarchical groups',
    summary: 'Delete a hierarchical group and all under it, if they have no members',
    errors: ['forbidden', 'not_found', 'conflict'],
  },
  addTreeMembers: {
    tag: 'hierarchical groups',
    summary: 'Add members to a hierarchical group',
    errors: ['forbidden', 'not_found', 'conflict'],
  },
  removeTreeMembers: {
    tag: 'hierarchical groups',
    summary: 'Remove members from a hierarchical group',
    errors: others,
  },
  listTreeMembers: {
    tag: 'hierarchical groups',
    summary: 'List the ids of a hierarchical group’s members',
    errors: absent,
  },
  listTreeUsers: {
    tag: 'hierarchical groups',
    summary: 'List a hierarchical group’s members that are users',
    errors: absent,
  },
  listTreeThings: {
    tag: 'hierarchical groups',
    summary: 'List a hierarchical group’s members that are things',
    errors: absent,
  },
  listTreeGroupsOfMember: {
    tag: 'hierarchical groups',
    summary: 'List the hierarchical groups a member is in',
  },

  readMessages: {
    tag: 'messages',
    about:
      'Without `publisher`: of all things of the groups that the caller is in. A thing reads its own. Times come in seconds (SenML) or nanoseconds (JSON); `from` and `to` are nanoseconds or ISO 8601.',
    summary: 'Read messages, newest first, or an aggregate of each interval',
    errors: others,
  },
  searchMessages: {
    tag: 'messages',
    about: 'A list of queries is answered by a list, and one that fails says so in its place.',
    summary: 'Read messages by one query or by many, each answered in its place',
    errors: others,
  },
  exportMessages: {
    tag: 'messages',
    about:
      'Filters apply, pages do not. `convert` or `Accept` names the type: `json` (the default), `csv`, `ndjson`, `parquet` or `arrow`. It is compressed where `Accept-Encoding` asks for it.',
    summary: 'Messages as a file',
    errors: others,
  },
  followMessages: {
    tag: 'messages',
    about: 'The stream does not end. With `Last-Event-ID` it goes on after that message.',
    summary: 'Messages as they come, as server-sent events; goes on after a `Last-Event-ID`',
    errors: others,
  },
  deleteMessages: {
    tag: 'messages',
    about:
      'All filters apply: what does not match stays. For the platform admin, of all things; for a user, of the things of the groups they administer; for a thing, its own.',
    summary: 'Delete the messages of all things one administers, or one’s own as a thing',
  },
  deleteMessagesOfThing: {
    tag: 'messages',
    about: 'All filters apply: what does not match stays.',
    summary: 'Delete the messages of a thing',
    errors: others,
  },
  backupMessages: { tag: 'messages', summary: 'All messages of both formats as one file' },
  restoreMessages: {
    tag: 'messages',
    about: 'The file is checked whole before anything changes. Restoring it twice adds nothing.',
    summary: 'Add what is missing of a backup, or of a file of the platform’s older kind',
    errors: ['malformed', 'unsupported_type'],
  },
  passToEdge: { tag: 'messages', summary: 'Send messages' },

  viewHome: { tag: 'service', summary: 'Where to go from here' },
  viewHealth: { tag: 'service', summary: 'The state of the service and its neighbours' },
  viewMetrics: { tag: 'service', summary: 'Metrics for Prometheus' },
  viewDocs: { tag: 'service', summary: 'This document' },
  viewBench: { tag: 'service', summary: 'The page of the benchmarks' },
  viewBenchResults: { tag: 'service', summary: 'The figures of every run of the benchmarks' },
  enterQueues: { tag: 'service', summary: 'Log in at the queues’ dashboard' },
  useQueues: { tag: 'service', summary: 'The queues’ dashboard' },
};
