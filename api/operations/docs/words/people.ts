import { absent, conflict, others, type OperationDocs } from './operation.ts';

/** What the documentation says of the operations of users, keys, orgs, invites and groups. */
export const people = {
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
    about:
      'Ends all tokens that were issued before, and all sessions of the console but the one that asks.',
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

  listSessions: {
    tag: 'sessions',
    about:
      'Browsers that are signed in to the console as the caller. Tokens of `POST /tokens` are not among them: nothing is stored of those.',
    summary: 'List one’s sessions',
  },
  endSession: {
    tag: 'sessions',
    about: 'Takes hold at once: the browser must sign in again.',
    summary: 'End one of one’s sessions',
    errors: absent,
  },
  endAllSessions: {
    tag: 'sessions',
    about:
      'Sign out everywhere: ends all sessions and all tokens of the caller at once, also what this request came with. API keys stay.',
    summary: 'End all of one’s sessions and tokens',
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
  listOrgAudit: {
    tag: 'orgs',
    about:
      'Who changed what in the org, when and from where, the latest first. An entry is written in the transaction of its change. What was deleted with something else has no entry of its own.',
    summary: 'List the changes made in an org',
  },
  exportOrgAudit: {
    tag: 'orgs',
    about: 'The same as a file, the earliest first.',
    summary: 'Export the changes made in an org',
  },
  listAudit: {
    tag: 'orgs',
    about:
      'Of all orgs, and of what is in none: users, API keys, sessions, hierarchical groups, queues, restores.',
    summary: 'List the changes made on the platform',
  },
  exportAudit: {
    tag: 'orgs',
    about: 'The same as a file, the earliest first.',
    summary: 'Export the changes made on the platform',
  },
  setOrgQuota: {
    tag: 'orgs',
    about:
      'What is there already stays, however much it is: the limits hold for what comes. Edges know of a change within a few seconds.',
    summary: 'Set the quota of an org',
    errors: absent,
  },
  viewOrgUsage: { tag: 'orgs', summary: 'View what an org has and sent, and its quota' },
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
} as const satisfies Readonly<Record<string, OperationDocs>>;
