import type { Scheme } from '../schemas/http/challenges.ts';
import type { Role } from '../schemas/roles.ts';

/** What the `:id` of a path may name. The role that counts is the one in its org, or in its group. */
export type EntityKind = 'org' | 'group' | 'profile' | 'thing' | 'webhook';

/** The kinds of credentials that a request may show. */
export type CredentialKind = 'token' | 'session' | 'apiKey' | 'thingKey';

/** What it takes to do an operation. */
export type Requirement =
  /** No credential is looked at. */
  | { who: 'anyone' }
  /** Any user; what they may see or do is bounded in the query itself. */
  | { who: 'user' }
  /** A user who logged in: an API key does not do. */
  | { who: 'loggedIn' }
  | { who: 'platformAdmin' }
  /** A user with at least this role where the entity named by the path's `:id` is; the platform admin. */
  | { who: 'member'; role: Role; of: EntityKind }
  /** A thing, by its key or its external key. */
  | { who: 'thing' }
  /** A user or a thing; what they get is bounded in the query itself. */
  | { who: 'userOrThing' };

/**
 * The permission table: every operation of the API and what it takes. A route names its operation in
 * its `config`; the server does not start with a route that has none.
 */
export const permissions = {
  issueToken: { who: 'anyone' },

  createUser: { who: 'platformAdmin' },
  /** Oneself, who shares an org, the platform admin. */
  viewUser: { who: 'user' },
  viewOwnUser: { who: 'user' },
  listUsers: { who: 'user' },
  searchUsers: { who: 'user' },
  updateOwnMetadata: { who: 'user' },
  changeOwnPassword: { who: 'user' },

  issueKey: { who: 'loggedIn' },
  viewKey: { who: 'loggedIn' },
  listKeys: { who: 'loggedIn' },
  revokeKey: { who: 'loggedIn' },

  listSessions: { who: 'loggedIn' },
  endSession: { who: 'loggedIn' },
  endAllSessions: { who: 'loggedIn' },

  createOrg: { who: 'user' },
  viewOrg: { who: 'member', role: 'viewer', of: 'org' },
  listOrgs: { who: 'user' },
  searchOrgs: { who: 'user' },
  updateOrg: { who: 'member', role: 'admin', of: 'org' },
  deleteOrg: { who: 'member', role: 'owner', of: 'org' },
  listOrgAudit: { who: 'member', role: 'admin', of: 'org' },
  exportOrgAudit: { who: 'member', role: 'admin', of: 'org' },
  listAudit: { who: 'platformAdmin' },
  exportAudit: { who: 'platformAdmin' },
  setOrgQuota: { who: 'platformAdmin' },
  viewOrgUsage: { who: 'member', role: 'admin', of: 'org' },

  addOrgMembers: { who: 'member', role: 'admin', of: 'org' },
  changeOrgRoles: { who: 'member', role: 'admin', of: 'org' },
  removeOrgMembers: { who: 'member', role: 'admin', of: 'org' },
  viewOrgMember: { who: 'member', role: 'viewer', of: 'org' },
  listOrgMembers: { who: 'member', role: 'viewer', of: 'org' },

  createOrgInvite: { who: 'member', role: 'admin', of: 'org' },
  listOrgInvites: { who: 'member', role: 'admin', of: 'org' },
  /** The invitee, the inviter, the org's admins, the platform admin. */
  viewInvite: { who: 'user' },
  /** The invitee. */
  acceptInvite: { who: 'user' },
  /** The invitee. */
  declineInvite: { who: 'user' },
  /** The inviter. */
  revokeInvite: { who: 'user' },
  /** One's own; the platform admin sees everyone's. */
  listReceivedInvites: { who: 'user' },
  listSentInvites: { who: 'user' },
  createPlatformInvite: { who: 'platformAdmin' },
  listPlatformInvites: { who: 'platformAdmin' },
  registerByInvite: { who: 'anyone' },

  createGroups: { who: 'member', role: 'editor', of: 'org' },
  viewGroup: { who: 'member', role: 'viewer', of: 'group' },
  listGroups: { who: 'user' },
  listOrgGroups: { who: 'member', role: 'viewer', of: 'org' },
  searchGroups: { who: 'user' },
  searchOrgGroups: { who: 'member', role: 'viewer', of: 'org' },
  updateGroup: { who: 'member', role: 'admin', of: 'group' },
  deleteGroup: { who: 'member', role: 'owner', of: 'group' },
  /** The owner of each of them. */
  deleteGroups: { who: 'user' },
  viewThingGroup: { who: 'member', role: 'viewer', of: 'thing' },
  viewProfileGroup: { who: 'member', role: 'viewer', of: 'profile' },

  addGroupMembers: { who: 'member', role: 'admin', of: 'group' },
  changeGroupRoles: { who: 'member', role: 'admin', of: 'group' },
  removeGroupMembers: { who: 'member', role: 'admin', of: 'group' },
  listGroupMembers: { who: 'member', role: 'viewer', of: 'group' },

  createProfiles: { who: 'member', role: 'editor', of: 'group' },
  viewProfile: { who: 'member', role: 'viewer', of: 'profile' },
  viewThingProfile: { who: 'member', role: 'viewer', of: 'thing' },
  listProfiles: { who: 'user' },
  listGroupProfiles: { who: 'member', role: 'viewer', of: 'group' },
  listOrgProfiles: { who: 'member', role: 'viewer', of: 'org' },
  searchProfiles: { who: 'user' },
  searchGroupProfiles: { who: 'member', role: 'viewer', of: 'group' },
  searchOrgProfiles: { who: 'member', role: 'viewer', of: 'org' },
  updateProfile: { who: 'member', role: 'editor', of: 'profile' },
  deleteProfile: { who: 'member', role: 'admin', of: 'profile' },
  /** An admin of each of them. */
  deleteProfiles: { who: 'user' },

  createThings: { who: 'member', role: 'editor', of: 'profile' },
  viewThing: { who: 'member', role: 'viewer', of: 'thing' },
  listThings: { who: 'user' },
  listGroupThings: { who: 'member', role: 'viewer', of: 'group' },
  listProfileThings: { who: 'member', role: 'viewer', of: 'profile' },
  listOrgThings: { who: 'member', role: 'viewer', of: 'org' },
  searchThings: { who: 'user' },
  searchGroupThings: { who: 'member', role: 'viewer', of: 'group' },
  searchProfileThings: { who: 'member', role: 'viewer', of: 'profile' },
  searchOrgThings: { who: 'member', role: 'viewer', of: 'org' },
  updateThing: { who: 'member', role: 'editor', of: 'thing' },
  /** An editor where it is and where it goes. */
  moveThing: { who: 'member', role: 'editor', of: 'thing' },
  /** An editor of each of them. */
  updateThingsMetadata: { who: 'user' },
  deleteThing: { who: 'member', role: 'admin', of: 'thing' },
  /** An admin of each of them. */
  deleteThings: { who: 'user' },
  setExternalKey: { who: 'member', role: 'editor', of: 'thing' },
  removeExternalKey: { who: 'member', role: 'editor', of: 'thing' },
  viewOwnMetadata: { who: 'thing' },
  identifyThing: { who: 'anyone' },

  /** An editor of the thing. */
  issueCertificate: { who: 'user' },
  /** A viewer of its thing. */
  viewCertificate: { who: 'user' },
  /** An editor of its thing; so is the next. */
  renewCertificate: { who: 'user' },
  revokeCertificate: { who: 'user' },
  listSerials: { who: 'member', role: 'viewer', of: 'thing' },
  /** It is there for whoever is shown a certificate. */
  viewRevocationList: { who: 'anyone' },
  createWebhooks: { who: 'member', role: 'editor', of: 'thing' },
  createGroupWebhooks: { who: 'member', role: 'editor', of: 'group' },
  /** They get what every group of the org gets: who owns the org owns each of its groups, and nobody else does. */
  createOrgWebhooks: { who: 'member', role: 'owner', of: 'org' },
  listThingWebhooks: { who: 'member', role: 'viewer', of: 'thing' },
  listGroupWebhooks: { who: 'member', role: 'viewer', of: 'group' },
  listOrgWebhooks: { who: 'member', role: 'owner', of: 'org' },
  viewWebhook: { who: 'member', role: 'viewer', of: 'webhook' },
  updateWebhook: { who: 'member', role: 'editor', of: 'webhook' },
  /** An editor of each of them. */
  deleteWebhooks: { who: 'user' },
  pingWebhook: { who: 'member', role: 'editor', of: 'webhook' },
  listWebhookDeliveries: { who: 'member', role: 'viewer', of: 'webhook' },
  replayWebhook: { who: 'member', role: 'editor', of: 'webhook' },

  createTreeGroup: { who: 'user' },
  viewTreeGroup: { who: 'user' },
  listTreeParents: { who: 'user' },
  listTreeChildren: { who: 'user' },
  /** Its creator, the platform admin; so are the next three. */
  updateTreeGroup: { who: 'user' },
  deleteTreeGroup: { who: 'user' },
  addTreeMembers: { who: 'user' },
  removeTreeMembers: { who: 'user' },
  listTreeMembers: { who: 'user' },
  listTreeUsers: { who: 'user' },
  listTreeThings: { who: 'user' },
  listTreeGroupsOfMember: { who: 'user' },

  readMessages: { who: 'userOrThing' },
  searchMessages: { who: 'userOrThing' },
  exportMessages: { who: 'userOrThing' },
  followMessages: { who: 'userOrThing' },
  /** Of the groups they administer; a thing's own. */
  deleteMessages: { who: 'userOrThing' },
  /** An admin of its group; a thing's own. */
  deleteMessagesOfThing: { who: 'userOrThing' },
  backupMessages: { who: 'platformAdmin' },
  restoreMessages: { who: 'platformAdmin' },
  /** The edge decides. */
  passToEdge: { who: 'anyone' },

  viewHome: { who: 'anyone' },
  viewHealth: { who: 'anyone' },
  viewMetrics: { who: 'anyone' },
  viewOperations: { who: 'platformAdmin' },
  viewDocs: { who: 'anyone' },
  viewBench: { who: 'anyone' },
  viewBenchResults: { who: 'anyone' },
  /** The console's files, and signing in and out. */
  enterConsole: { who: 'anyone' },
  /** Who is signed in. */
  viewSession: { who: 'user' },
  useQueues: { who: 'platformAdmin' },
} as const satisfies Record<string, Requirement>;

export type Operation = keyof typeof permissions;

/**
 * What takes something away. Such a request must be understood whole: what is not known in it may be meant to make it
 * narrower than it is.
 */
const removing = [
  'revokeKey',
  'endSession',
  'endAllSessions',
  'deleteOrg',
  'removeOrgMembers',
  'revokeInvite',
  'deleteGroup',
  'deleteGroups',
  'removeGroupMembers',
  'deleteProfile',
  'deleteProfiles',
  'deleteThing',
  'deleteThings',
  'removeExternalKey',
  'revokeCertificate',
  'deleteWebhooks',
  'deleteTreeGroup',
  'removeTreeMembers',
  'deleteMessages',
  'deleteMessagesOfThing',
] as const satisfies readonly Operation[];

export type Removal = (typeof removing)[number];

export const removals: ReadonlySet<Operation> = new Set(removing);

/** Keys may not make keys: one that leaked must not outlive its revocation. */
const credentialKinds: Readonly<Record<Requirement['who'], readonly CredentialKind[]>> = {
  anyone: [],
  user: ['token', 'session', 'apiKey'],
  loggedIn: ['token', 'session'],
  platformAdmin: ['token', 'session', 'apiKey'],
  member: ['token', 'session', 'apiKey'],
  thing: ['thingKey'],
  userOrThing: ['token', 'session', 'apiKey', 'thingKey'],
};

/** The kinds of credentials that an operation takes. */
export function credentialsFor({ who }: Requirement): readonly CredentialKind[] {
  return credentialKinds[who];
}

/** The schemes of `Authorization` under which such credentials are sent. */
export function schemesOf(requirement: Requirement): readonly Scheme[] {
  const kinds = credentialsFor(requirement);
  const things: readonly Scheme[] = kinds.includes('thingKey') ? ['Thing', 'External'] : [];
  return kinds.includes('token') || things.length === 0 ? ['Bearer', ...things] : things;
}

/** The role from which a thing's keys show, and a webhook's secret. */
export const keysShowFrom: Role = 'editor';

export function requirementOf(operation: Operation): Requirement {
  return permissions[operation];
}
