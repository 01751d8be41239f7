import type { Requirement } from '../../../api/permissions.ts';
import type { Role } from '../../../schemas/roles.ts';

/** Where a role counts, and the least one that does; or who, where it takes no role. */
export type Right =
  | readonly ['org' | 'group', Role]
  | readonly ['platform', 'admin']
  | readonly ['user', 'any' | 'logged in']
  | readonly ['device', 'any']
  | readonly ['user or device', 'any']
  | readonly ['nobody', 'any'];

/** The contract's table of roles, written down once more: neither this nor the server's own is copied. */
export const contract: Readonly<Record<string, Right>> = {
  issueToken: ['nobody', 'any'],
  createUser: ['platform', 'admin'],
  viewUser: ['user', 'any'],
  viewOwnUser: ['user', 'any'],
  listUsers: ['user', 'any'],
  searchUsers: ['user', 'any'],
  updateOwnMetadata: ['user', 'any'],
  changeOwnPassword: ['user', 'any'],

  issueKey: ['user', 'logged in'],
  viewKey: ['user', 'logged in'],
  listKeys: ['user', 'logged in'],
  revokeKey: ['user', 'logged in'],

  createOrg: ['user', 'any'],
  viewOrg: ['org', 'viewer'],
  listOrgs: ['user', 'any'],
  searchOrgs: ['user', 'any'],
  updateOrg: ['org', 'admin'],
  deleteOrg: ['org', 'owner'],
  addOrgMembers: ['org', 'admin'],
  changeOrgRoles: ['org', 'admin'],
  removeOrgMembers: ['org', 'admin'],
  viewOrgMember: ['org', 'viewer'],
  listOrgMembers: ['org', 'viewer'],

  createOrgInvite: ['org', 'admin'],
  listOrgInvites: ['org', 'admin'],
  viewInvite: ['user', 'any'],
  acceptInvite: ['user', 'any'],
  declineInvite: ['user', 'any'],
  revokeInvite: ['user', 'any'],
  listReceivedInvites: ['user', 'any'],
  listSentInvites: ['user', 'any'],
  createPlatformInvite: ['platform', 'admin'],
  listPlatformInvites: ['platform', 'admin'],
  registerByInvite: ['nobody', 'any'],

  createGroups: ['org', 'editor'],
  viewGroup: ['group', 'viewer'],
  listGroups: ['user', 'any'],
  listOrgGroups: ['org', 'viewer'],
  searchGroups: ['user', 'any'],
  searchOrgGroups: ['org', 'viewer'],
  updateGroup: ['group', 'admin'],
  deleteGroup: ['group', 'owner'],
  deleteGroups: ['user', 'any'],
  viewThingGroup: ['group', 'viewer'],
  viewProfileGroup: ['group', 'viewer'],
  addGroupMembers: ['group', 'admin'],
  changeGroupRoles: ['group', 'admin'],
  removeGroupMembers: ['group', 'admin'],
  listGroupMembers: ['group', 'viewer'],

  createProfiles: ['group', 'editor'],
  viewProfile: ['group', 'viewer'],
  viewThingProfile: ['group', 'viewer'],
  listProfiles: ['user', 'any'],
  listGroupProfiles: ['group', 'viewer'],
  listOrgProfiles: ['org', 'viewer'],
  searchProfiles: ['user', 'any'],
  searchGroupProfiles: ['group', 'viewer'],
  searchOrgProfiles: ['org', 'viewer'],
  updateProfile: ['group', 'editor'],
  deleteProfile: ['group', 'admin'],
  deleteProfiles: ['user', 'any'],

  createThings: ['group', 'editor'],
  viewThing: ['group', 'viewer'],
  listThings: ['user', 'any'],
  listGroupThings: ['group', 'viewer'],
  listProfileThings: ['group', 'viewer'],
  listOrgThings: ['org', 'viewer'],
  searchThings: ['user', 'any'],
  searchGroupThings: ['group', 'viewer'],
  searchProfileThings: ['group', 'viewer'],
  searchOrgThings: ['org', 'viewer'],
  updateThing: ['group', 'editor'],
  moveThing: ['group', 'editor'],
  updateThingsMetadata: ['user', 'any'],
  deleteThing: ['group', 'admin'],
  deleteThings: ['user', 'any'],
  setExternalKey: ['group', 'editor'],
  removeExternalKey: ['group', 'editor'],
  viewOwnMetadata: ['device', 'any'],
  identifyThing: ['nobody', 'any'],

  issueCertificate: ['user', 'any'],
  viewCertificate: ['user', 'any'],
  renewCertificate: ['user', 'any'],
  revokeCertificate: ['user', 'any'],
  listSerials: ['group', 'viewer'],
  viewRevocationList: ['nobody', 'any'],
  createWebhooks: ['group', 'editor'],
  createGroupWebhooks: ['group', 'editor'],
  createOrgWebhooks: ['org', 'owner'],
  listThingWebhooks: ['group', 'viewer'],
  listGroupWebhooks: ['group', 'viewer'],
  listOrgWebhooks: ['org', 'owner'],
  viewWebhook: ['group', 'viewer'],
  updateWebhook: ['group', 'editor'],
  deleteWebhooks: ['user', 'any'],
  pingWebhook: ['group', 'editor'],
  listWebhookDeliveries: ['group', 'viewer'],
  replayWebhook: ['group', 'editor'],

  createTreeGroup: ['user', 'any'],
  viewTreeGroup: ['user', 'any'],
  listTreeParents: ['user', 'any'],
  listTreeChildren: ['user', 'any'],
  updateTreeGroup: ['user', 'any'],
  deleteTreeGroup: ['user', 'any'],
  addTreeMembers: ['user', 'any'],
  removeTreeMembers: ['user', 'any'],
  listTreeMembers: ['user', 'any'],
  listTreeUsers: ['user', 'any'],
  listTreeThings: ['user', 'any'],
  listTreeGroupsOfMember: ['user', 'any'],

  readMessages: ['user or device', 'any'],
  searchMessages: ['user or device', 'any'],
  exportMessages: ['user or device', 'any'],
  followMessages: ['user or device', 'any'],
  deleteMessages: ['user or device', 'any'],
  deleteMessagesOfThing: ['user or device', 'any'],
  backupMessages: ['platform', 'admin'],
  restoreMessages: ['platform', 'admin'],
  passToEdge: ['nobody', 'any'],
  viewHealth: ['nobody', 'any'],
  viewMetrics: ['nobody', 'any'],
  viewDocs: ['nobody', 'any'],
  viewHome: ['nobody', 'any'],
  viewBench: ['nobody', 'any'],
  viewBenchResults: ['nobody', 'any'],
  enterConsole: ['nobody', 'any'],
  viewSession: ['user', 'any'],
  useQueues: ['platform', 'admin'],
};

const wordsFor: Readonly<Record<Exclude<Requirement['who'], 'member'>, Right>> = {
  anyone: ['nobody', 'any'],
  user: ['user', 'any'],
  loggedIn: ['user', 'logged in'],
  platformAdmin: ['platform', 'admin'],
  thing: ['device', 'any'],
  userOrThing: ['user or device', 'any'],
};

/** A row of the server's table in the contract's words. */
export function rightOf(requirement: Requirement): Right {
  if (requirement.who !== 'member') return wordsFor[requirement.who];
  return [requirement.of === 'org' ? 'org' : 'group', requirement.role];
}
