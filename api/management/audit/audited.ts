import type { AuditKind } from '../../../schemas/accounting/audit.ts';
import type { Operation } from '../../permissions.ts';

/** The operations that change something, and the kind whose entries in the audit log tell of it. */
export const audited = {
  createUser: 'user',
  updateOwnMetadata: 'user',
  changeOwnPassword: 'user',
  registerByInvite: 'user',

  issueKey: 'api_key',
  revokeKey: 'api_key',

  endSession: 'session',
  endAllSessions: 'session',

  createOrg: 'org',
  updateOrg: 'org',
  deleteOrg: 'org',
  setOrgQuota: 'quota',
  addOrgMembers: 'org_member',
  changeOrgRoles: 'org_member',
  removeOrgMembers: 'org_member',

  createOrgInvite: 'invite',
  createPlatformInvite: 'invite',
  acceptInvite: 'invite',
  declineInvite: 'invite',
  revokeInvite: 'invite',

  createGroups: 'group',
  updateGroup: 'group',
  deleteGroup: 'group',
  deleteGroups: 'group',
  addGroupMembers: 'group_member',
  changeGroupRoles: 'group_member',
  removeGroupMembers: 'group_member',

  createProfiles: 'profile',
  updateProfile: 'profile',
  deleteProfile: 'profile',
  deleteProfiles: 'profile',

  createThings: 'thing',
  updateThing: 'thing',
  moveThing: 'thing',
  updateThingsMetadata: 'thing',
  deleteThing: 'thing',
  deleteThings: 'thing',
  setExternalKey: 'thing',
  removeExternalKey: 'thing',

  issueCertificate: 'certificate',
  renewCertificate: 'certificate',
  revokeCertificate: 'certificate',

  createWebhooks: 'webhook',
  createGroupWebhooks: 'webhook',
  createOrgWebhooks: 'webhook',
  updateWebhook: 'webhook',
  deleteWebhooks: 'webhook',

  createTreeGroup: 'tree_group',
  updateTreeGroup: 'tree_group',
  deleteTreeGroup: 'tree_group',
  addTreeMembers: 'tree_member',
  removeTreeMembers: 'tree_member',

  deleteMessages: 'messages',
  deleteMessagesOfThing: 'messages',
  restoreMessages: 'messages',

  useQueues: 'queue',
} as const satisfies Partial<Record<Operation, AuditKind>>;

/** Operations that change nothing, and may have an entry all the same: what is read in bulk, and logins that fail. */
export const watched = {
  issueToken: 'user',
  enterConsole: 'user',
  replayWebhook: 'webhook',
  exportMessages: 'messages',
  backupMessages: 'messages',
} as const satisfies Partial<Record<Operation, AuditKind>>;
