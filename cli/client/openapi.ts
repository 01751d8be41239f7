// Made from api/openapi.json by `npm run openapi`. Change the schemas, not this file.

export type Error = {
  error: string;
};

export type User = {
  id: string;
  email: string;
  metadata?: Record<string, unknown>;
};

export type NewUser = {
  email: string;
  password: string;
  metadata?: Record<string, unknown> | null;
};

export type UserChange = {
  metadata?: Record<string, unknown> | null;
};

export type PasswordChange = {
  old_password: string;
  password: string;
};

export type Users = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  Users: User[];
  users: User[];
};

export type ApiKey = {
  id: string;
  issuer_id: string;
  subject: string;
  type: 2;
  issued_at: string;
  expires_at?: string;
};

export type NewApiKey = {
  type: 2;
  duration?: number | null;
};

export type IssuedApiKey = {
  id: string;
  value: string;
  issued_at: string;
  expires_at?: string;
};

export type ApiKeys = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  keys: ApiKey[];
};

export type Org = {
  id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  owner_id: string;
  retention_days?: number;
  created_at: string;
  updated_at: string;
};

export type NewOrg = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown> | null;
  retention_days?: number | null;
};

export type OrgChange = {
  name?: string;
  description?: string | null;
  metadata?: Record<string, unknown> | null;
  retention_days?: number | null;
};

export type Orgs = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  orgs: Org[];
};

export type OrgMembership = {
  member_id: string;
  email: string;
  role: 'owner' | 'admin' | 'editor' | 'viewer';
  created_at: string;
  updated_at: string;
  org_id: string;
};

export type GroupMembership = {
  member_id: string;
  email: string;
  role: 'owner' | 'admin' | 'editor' | 'viewer';
  created_at: string;
  updated_at: string;
  group_id: string;
};

export type OrgMemberships = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  org_memberships: OrgMembership[];
};

export type GroupMemberships = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  group_memberships: GroupMembership[];
};

export type Invite = {
  id: string;
  invitee_email: string;
  state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  created_at: string;
  expires_at: string;
  invitee_id?: string;
  inviter_id?: string;
  inviter_email?: string;
  org_id?: string;
  org_name?: string;
  invitee_role?: 'admin' | 'editor' | 'viewer';
};

export type OrgInvite = {
  id: string;
  invitee_email: string;
  state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  created_at: string;
  expires_at: string;
  invitee_id: string;
  inviter_id: string;
  inviter_email: string;
  org_id: string;
  org_name: string;
  invitee_role: 'admin' | 'editor' | 'viewer';
};

export type PlatformInvite = {
  id: string;
  invitee_email: string;
  state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  created_at: string;
  expires_at: string;
};

export type NewOrgInvite = {
  email: string;
  role: 'admin' | 'editor' | 'viewer';
  redirect_path?: string;
  group_invites?: {
    group_id: string;
    member_role: 'admin' | 'editor' | 'viewer';
  }[];
};

export type NewPlatformInvite = {
  invitee_email: string;
  org_id?: string;
  role?: 'admin' | 'editor' | 'viewer';
  redirect_path?: string;
  group_invites?: {
    group_id: string;
    member_role: 'admin' | 'editor' | 'viewer';
  }[];
};

export type Registration = {
  email: string;
  password: string;
};

export type OrgInvites = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  invites: OrgInvite[];
};

export type InvitesOfUser = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  invites: {
    id: string;
    invitee_email: string;
    state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
    created_at: string;
    expires_at: string;
    invitee_id: string;
    inviter_email: string;
    org_id: string;
    org_name: string;
    invitee_role: 'admin' | 'editor' | 'viewer';
  }[];
};

export type PlatformInvites = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  invites: PlatformInvite[];
};

export type Group = {
  id: string;
  org_id: string;
  name: string;
  description: string;
  metadata: Record<string, unknown>;
  retention_days?: number;
  created_at: string;
  updated_at: string;
};

export type NewGroup = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown> | null;
  retention_days?: number | null;
};

export type GroupChange = {
  name?: string;
  description?: string | null;
  metadata?: Record<string, unknown> | null;
  retention_days?: number | null;
};

export type Groups = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  groups: Group[];
};

export type Profile = {
  id: string;
  name: string;
  group_id: string;
  metadata: Record<string, unknown>;
  config: Record<string, unknown>;
};

export type NewProfile = {
  id?: string;
  name: string;
  metadata?: Record<string, unknown> | null;
  config?: {
    content_type?: string;
    write?: boolean;
    transformer?: {
      data_filters?: string[];
      data_field?: string;
      time_field?: string;
      time_format?: string;
      time_location?: string;
    };
  } | null;
};

export type ProfileChange = {
  name?: string;
  metadata?: Record<string, unknown> | null;
  config?: {
    content_type?: string;
    write?: boolean;
    transformer?: {
      data_filters?: string[];
      data_field?: string;
      time_field?: string;
      time_format?: string;
      time_location?: string;
    };
  } | null;
};

export type Profiles = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  profiles: Profile[];
};

export type Thing = {
  id: string;
  group_id: string;
  profile_id: string;
  name: string;
  type: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
  key?: string;
  external_key?: string;
  metadata: Record<string, unknown>;
  last_seen: string | null;
};

export type NewThing = {
  id?: string;
  name: string;
  type: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
  key?: string;
  external_key?: string;
  metadata?: Record<string, unknown> | null;
};

export type ThingChange = {
  name?: string;
  type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
  key?: string;
  metadata?: Record<string, unknown> | null;
};

export type ThingMetadata = {
  id: string;
  metadata?: Record<string, unknown> | null;
};

export type ThingMove = {
  profile_id: string;
  group_id?: string;
};

export type Things = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  /** Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
  silent_since?: number | string;
  /** Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
  seen_since?: number | string;
  things: Thing[];
};

export type Certificate = {
  certificate: string;
  issuing_ca: string;
  ca_chain: string[];
  serial: string;
  thing_id: string;
  key_type: 'rsa' | 'ecdsa';
  key_bits: number;
  issued_at: string;
  expires_at: string;
  revocation_time?: string;
};

export type NewCertificate = {
  thing_id: string;
  ttl?: string;
  key_type?: 'rsa' | 'ecdsa';
  key_bits?: number;
};

export type IssuedCertificate = {
  certificate: string;
  issuing_ca: string;
  ca_chain: string[];
  serial: string;
  private_key: string;
  private_key_type: 'rsa' | 'ec';
  expires_at: string;
};

export type Revocation = {
  revocation_time: string;
};

export type Serials = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  certs: {
    thing_id: string;
    cert_serial: string;
    issued_at: string;
    expires_at: string;
  }[];
};

export type Webhook = {
  id: string;
  thing_id?: string;
  group_id?: string;
  org_id?: string;
  name: string;
  url: string;
  headers?: Record<string, string>;
  metadata: Record<string, unknown>;
  secret?: string;
  disabled_at?: string;
  disabled_why?: string;
  waiting_copies?: number;
  missed_copies?: number;
  missed_from?: string;
  missed_to?: string;
};

export type NewWebhook = {
  name: string;
  url: string;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  secret?: string | null;
};

export type WebhookChange = {
  name?: string;
  url?: string;
  headers?: Record<string, string> | null;
  metadata?: Record<string, unknown> | null;
  secret?: string | null;
};

export type Webhooks = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  name?: string;
  email?: string;
  role?: string;
  state?: string;
  type?: string;
  metadata?: Record<string, unknown>;
  webhooks: Webhook[];
};

export type WebhookDelivery = {
  id: number;
  message_id: string;
  attempt: number;
  tried_at: string;
  duration_ms: number;
  status?: number;
  error?: string;
  answer: string;
};

export type WebhookDeliveries = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  message_id?: string;
  status?: number;
  outcome?: 'delivered' | 'failed';
  from?: string;
  to?: string;
  deliveries: WebhookDelivery[];
};

export type Replay = {
  message_id?: string;
  failed?: true;
  from?: string;
  to?: string;
};

export type NewTreeGroup = {
  name: string;
  description?: string | null;
  parent_id?: string | null;
  metadata?: Record<string, unknown> | null;
};

export type TreeGroupChange = {
  name?: string;
  description?: string | null;
  metadata?: Record<string, unknown> | null;
};

export type TreeGroups = {
  total: number;
  limit?: number;
  offset?: number;
  order?: string;
  dir?: string;
  metadata?: Record<string, unknown>;
  level: number;
  name: string;
  groups: TreeGroup[];
};

export type TreeMembers = {
  total: number;
  limit: number;
  offset?: number;
  order?: string;
  dir?: string;
  type?: string;
  name: string;
  Members: {
    ID: string;
    Type: 'users' | 'things';
  }[];
};

export type TreeUsers = {
  total: number;
  offset: number;
  limit: number;
  order?: string;
  dir?: string;
  users: {
    id: string;
    email?: string;
  }[];
};

export type TreeThings = {
  total: number;
  offset: number;
  limit: number;
  dir?: string;
  order: string;
  direction: string;
  things: {
    id: string;
    key?: string;
  }[];
};

export type TreeGroup = {
  id: string;
  name: string;
  description: string;
  parent_id?: string;
  metadata: Record<string, unknown>;
  owner_id: string;
  level: number;
  path: string;
  children?: TreeGroup[];
  created_at: string;
  updated_at: string;
};

/** What each operation takes. */
export type Requests = {
  /** As a thing, send messages */
  sendMessages: {
    body: Record<string, unknown> | (Record<string, unknown>)[];
  };
  /** As a thing, send messages of a subtopic; its parts may be segments of the path too */
  sendMessagesOfSubtopic: {
    path: {
      subtopic: string;
    };
    body: Record<string, unknown> | (Record<string, unknown>)[];
  };
  /** This document */
  viewDocs: Record<string, never>;
  /** Log in */
  issueToken: {
    body: {
      email: string;
      password: string;
    };
  };
  /** Create a user */
  createUser: {
    body: NewUser;
  };
  /** List users */
  listUsers: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'email' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Change one’s own metadata */
  updateOwnMetadata: {
    body: UserChange;
  };
  /** View a user */
  viewUser: {
    path: {
      id: string;
    };
  };
  /** View oneself */
  viewOwnUser: Record<string, never>;
  /** Search users */
  searchUsers: {
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'email' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      email?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Change one’s own password */
  changeOwnPassword: {
    body: PasswordChange;
  };
  /** Create an org */
  createOrg: {
    body: NewGroup;
  };
  /** List one’s orgs */
  listOrgs: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View an org */
  viewOrg: {
    path: {
      id: string;
    };
  };
  /** Change an org */
  updateOrg: {
    path: {
      id: string;
    };
    body: GroupChange;
  };
  /** Delete an org and all in it */
  deleteOrg: {
    path: {
      id: string;
    };
  };
  /** Search one’s orgs */
  searchOrgs: {
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      name?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Add members to an org */
  addOrgMembers: {
    path: {
      id: string;
    };
    body: {
      org_memberships: {
        email: string;
        role?: 'admin' | 'editor' | 'viewer' | '';
      }[];
    };
  };
  /** Change roles of an org’s members */
  changeOrgRoles: {
    path: {
      id: string;
    };
    body: {
      org_memberships: {
        email: string;
        role: 'admin' | 'editor' | 'viewer';
      }[];
    };
  };
  /** Remove members from an org */
  removeOrgMembers: {
    path: {
      id: string;
    };
    body: {
      member_ids: string[];
    };
  };
  /** List the members of an org */
  listOrgMembers: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'email' | 'role' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** View a member of an org */
  viewOrgMember: {
    path: {
      id: string;
      memberId: string;
    };
  };
  /** Create a group (without an answer’s body), or a list of them (which is answered) */
  createGroups: {
    path: {
      id: string;
    };
    body: NewGroup[] | NewGroup;
  };
  /** List one’s groups in an org */
  listOrgGroups: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a group */
  viewGroup: {
    path: {
      id: string;
    };
  };
  /** Change a group */
  updateGroup: {
    path: {
      id: string;
    };
    body: GroupChange;
  };
  /** Delete a group and all in it */
  deleteGroup: {
    path: {
      id: string;
    };
  };
  /** List one’s groups */
  listGroups: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Delete several groups and all in them, all or none */
  deleteGroups: {
    body: {
      group_ids: string[];
    };
  };
  /** Create a hierarchical group */
  createTreeGroup: {
    body: NewTreeGroup;
  };
  /** Search one’s groups */
  searchGroups: {
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      name?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Search one’s groups in an org */
  searchOrgGroups: {
    path: {
      id: string;
    };
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      name?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** View the group of a thing */
  viewThingGroup: {
    path: {
      id: string;
    };
  };
  /** View the group of a profile */
  viewProfileGroup: {
    path: {
      id: string;
    };
  };
  /** Add members to a group */
  addGroupMembers: {
    path: {
      id: string;
    };
    body: {
      member_id: string;
      role?: 'admin' | 'editor' | 'viewer' | '';
    }[] | {
      group_memberships: {
        member_id: string;
        role?: 'admin' | 'editor' | 'viewer' | '';
      }[];
    };
  };
  /** Change roles of a group’s members */
  changeGroupRoles: {
    path: {
      id: string;
    };
    body: {
      member_id: string;
      role: 'admin' | 'editor' | 'viewer';
    }[] | {
      group_memberships: {
        member_id: string;
        role: 'admin' | 'editor' | 'viewer';
      }[];
    };
  };
  /** Remove members from a group */
  removeGroupMembers: {
    path: {
      id: string;
    };
    body: {
      member_ids: string[];
    };
  };
  /** List the members of a group */
  listGroupMembers: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'email' | 'role' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** Create profiles */
  createProfiles: {
    path: {
      id: string;
    };
    body: NewProfile[];
  };
  /** List the profiles of a group */
  listGroupProfiles: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a profile */
  viewProfile: {
    path: {
      id: string;
    };
  };
  /** Change a profile */
  updateProfile: {
    path: {
      id: string;
    };
    body: ProfileChange;
  };
  /** Delete a profile no thing has */
  deleteProfile: {
    path: {
      id: string;
    };
  };
  /** View the profile of a thing */
  viewThingProfile: {
    path: {
      id: string;
    };
  };
  /** List one’s profiles */
  listProfiles: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Delete several profiles no thing has, all or none */
  deleteProfiles: {
    body: {
      profile_ids: string[];
    };
  };
  /** Search one’s profiles */
  searchProfiles: {
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      name?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Search the profiles of a group */
  searchGroupProfiles: {
    path: {
      id: string;
    };
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      name?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** List one’s profiles in an org */
  listOrgProfiles: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Search one’s profiles in an org */
  searchOrgProfiles: {
    path: {
      id: string;
    };
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      dir?: 'asc' | 'desc';
      name?: string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Create things */
  createThings: {
    path: {
      id: string;
    };
    body: NewThing[];
  };
  /** List the things of a profile */
  listProfileThings: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a thing */
  viewThing: {
    path: {
      id: string;
    };
  };
  /** Change a thing */
  updateThing: {
    path: {
      id: string;
    };
    body: ThingChange;
  };
  /** Give a thing another profile, in its group or another */
  moveThing: {
    path: {
      id: string;
    };
    body: ThingMove;
  };
  /** Delete a thing */
  deleteThing: {
    path: {
      id: string;
    };
  };
  /** List one’s things */
  listThings: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Merge into the metadata of several things */
  updateThingsMetadata: {
    body: ThingMetadata[];
  };
  /** Delete several things, all or none */
  deleteThings: {
    body: {
      thing_ids: string[];
    };
  };
  /** Search one’s things */
  searchThings: {
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      dir?: 'asc' | 'desc';
      name?: string;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string;
      metadata?: Record<string, unknown>;
    };
  };
  /** List one’s things in an org */
  listOrgThings: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Search one’s things in an org */
  searchOrgThings: {
    path: {
      id: string;
    };
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      dir?: 'asc' | 'desc';
      name?: string;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string;
      metadata?: Record<string, unknown>;
    };
  };
  /** List the things of a group */
  listGroupThings: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Search the things of a group */
  searchGroupThings: {
    path: {
      id: string;
    };
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      dir?: 'asc' | 'desc';
      name?: string;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Search the things of a profile */
  searchProfileThings: {
    path: {
      id: string;
    };
    body?: {
      limit?: number;
      offset?: number;
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      dir?: 'asc' | 'desc';
      name?: string;
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      seen_since?: number | string;
      metadata?: Record<string, unknown>;
    };
  };
  /** Set a thing’s external key */
  setExternalKey: {
    path: {
      id: string;
    };
    body: {
      key: string;
    };
  };
  /** Remove a thing’s external key */
  removeExternalKey: {
    path: {
      id: string;
    };
  };
  /** As a thing, read one’s metadata */
  viewOwnMetadata: Record<string, never>;
  /** Find the thing of a key */
  identifyThing: {
    body: {
      key: string;
      type: 'internal' | 'external';
    };
  };
  /** Issue a certificate to a thing; its private key shows here alone */
  issueCertificate: {
    body: NewCertificate;
  };
  /** View a certificate */
  viewCertificate: {
    path: {
      serial: string;
    };
  };
  /** Issue another of the same kind; the old one goes on until it ends or is revoked */
  renewCertificate: {
    path: {
      serial: string;
    };
  };
  /** Revoke a certificate */
  revokeCertificate: {
    path: {
      serial: string;
    };
  };
  /** List the certificates of a thing that are not revoked */
  listSerials: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'issued_at' | 'expires_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** The revocation list, as DER or, where that is accepted, as PEM */
  viewRevocationList: Record<string, never>;
  /** Create webhooks of a thing; answered as they were sent, as a list or wrapped, and wrapped where an element has an `id` */
  createWebhooks: {
    path: {
      id: string;
    };
    body: NewWebhook[] | {
      webhooks: NewWebhook[];
    };
  };
  /** List the webhooks of a thing */
  listThingWebhooks: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'url' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Create webhooks of all things of a group, now and later; answered as those of a thing */
  createGroupWebhooks: {
    path: {
      id: string;
    };
    body: NewWebhook[] | {
      webhooks: NewWebhook[];
    };
  };
  /** List the webhooks of a group, and of its things */
  listGroupWebhooks: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'url' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Create webhooks of all things of an org, now and later; answered as those of a thing */
  createOrgWebhooks: {
    path: {
      id: string;
    };
    body: NewWebhook[] | {
      webhooks: NewWebhook[];
    };
  };
  /** List the webhooks of an org, and of its groups and their things */
  listOrgWebhooks: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'url' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a webhook */
  viewWebhook: {
    path: {
      id: string;
    };
  };
  /** Change a webhook, and enable it if it was disabled; a secret that is replaced signs too for a day */
  updateWebhook: {
    path: {
      id: string;
    };
    body: WebhookChange;
  };
  /** Delete webhooks */
  deleteWebhooks_delete: {
    body: {
      webhook_ids: string[];
    };
  };
  /** Delete webhooks */
  deleteWebhooks_patch: {
    body: {
      webhook_ids: string[];
    };
  };
  /** Send a small message to a webhook, to try it */
  pingWebhook: {
    path: {
      id: string;
    };
  };
  /** List the tries to deliver to a webhook */
  listWebhookDeliveries: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      message_id?: string | undefined;
      status?: number | undefined;
      outcome?: 'delivered' | 'failed' | undefined;
      from?: string | undefined;
      to?: string | undefined;
    };
  };
  /** Deliver again: one message, those whose last try failed, or those of a time */
  replayWebhook: {
    path: {
      id: string;
    };
    body: Replay;
  };
  /** View a hierarchical group */
  viewTreeGroup: {
    path: {
      id: string;
    };
  };
  /** Change a hierarchical group */
  updateTreeGroup: {
    path: {
      id: string;
    };
    body: TreeGroupChange;
  };
  /** Delete a hierarchical group and all under it, if they have no members */
  deleteTreeGroup: {
    path: {
      id: string;
    };
  };
  /** List a hierarchical group and its ancestors */
  listTreeParents: {
    path: {
      id: string;
    };
    query?: {
      level?: number | undefined;
      tree?: boolean | undefined;
      limit?: number | undefined;
      offset?: number | undefined;
    };
  };
  /** List a hierarchical group and its descendants */
  listTreeChildren: {
    path: {
      id: string;
    };
    query?: {
      level?: number | undefined;
      tree?: boolean | undefined;
      limit?: number | undefined;
      offset?: number | undefined;
    };
  };
  /** Add members to a hierarchical group */
  addTreeMembers: {
    path: {
      id: string;
    };
    body: {
      members: string[];
      type: 'users' | 'things';
    };
  };
  /** Remove members from a hierarchical group */
  removeTreeMembers: {
    path: {
      id: string;
    };
    body: {
      members: string[];
      type?: 'users' | 'things';
    };
  };
  /** List the ids of a hierarchical group’s members */
  listTreeMembers: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'type' | 'created_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      type?: 'users' | 'things' | undefined;
    };
  };
  /** List a hierarchical group’s members that are users */
  listTreeUsers: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'type' | 'created_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** List a hierarchical group’s members that are things */
  listTreeThings: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'type' | 'created_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** List the hierarchical groups a member is in */
  listTreeGroupsOfMember: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      name?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Issue an API key */
  issueKey: {
    body: NewApiKey;
  };
  /** List one’s API keys */
  listKeys: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'issued_at' | 'expires_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** View one of one’s API keys */
  viewKey: {
    path: {
      id: string;
    };
  };
  /** Revoke one of one’s API keys */
  revokeKey: {
    path: {
      id: string;
    };
  };
  /** Invite a user to an org */
  createOrgInvite: {
    path: {
      id: string;
    };
    body: NewOrgInvite;
  };
  /** List the invites to an org */
  listOrgInvites: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** Invite someone to the platform */
  createPlatformInvite: {
    body: NewPlatformInvite;
  };
  /** List the invites to the platform */
  listPlatformInvites: {
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
    };
  };
  /** Register as a platform invite’s invitee */
  registerByInvite: {
    path: {
      id: string;
    };
    body: Registration;
  };
  /** View an invite of either kind */
  viewInvite: {
    path: {
      id: string;
    };
  };
  /** Revoke an org invite */
  revokeInvite: {
    path: {
      id: string;
    };
  };
  /** Accept an org invite */
  acceptInvite: {
    path: {
      id: string;
    };
  };
  /** Decline an org invite */
  declineInvite: {
    path: {
      id: string;
    };
  };
  /** List the invites a user got */
  listReceivedInvites: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** List the invites a user sent */
  listSentInvites: {
    path: {
      id: string;
    };
    query?: {
      limit?: number | undefined;
      offset?: number | undefined;
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      dir?: 'asc' | 'desc' | undefined;
      email?: string | undefined;
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** Read messages, newest first, or an aggregate of each interval */
  readMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last' | undefined;
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
      /** Units in an interval (default 1). */
      agg_value?: number | undefined;
      /** JSON: dotted path of the number in the payload that is aggregated, or drawn by `points`. May be given more than once for aggregates. SenML aggregates the value. */
      agg_field?: string | string[] | undefined;
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear' | undefined;
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string | undefined;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number | undefined;
      /** Messages, or intervals, in a page at most. */
      limit?: number | undefined;
      /** Messages, or intervals, left out before the page. */
      offset?: number | undefined;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it. */
      cursor?: string | undefined;
    };
  };
  /** Delete the messages of all things one administers, or one’s own as a thing */
  deleteMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Messages as a file */
  exportMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Order of the messages: `desc` begins with the newest day. */
      dir?: 'asc' | 'desc' | undefined;
      /** Type of the file; without it `Accept` says, and otherwise it is `json`. */
      convert?: 'json' | 'csv' | 'ndjson' | 'parquet' | 'arrow' | undefined;
    };
  };
  /** Delete the messages of a thing */
  deleteMessagesOfThing_senml: {
    path: {
      publisher: string;
    };
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Read messages, newest first, or an aggregate of each interval */
  readMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last' | undefined;
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
      /** Units in an interval (default 1). */
      agg_value?: number | undefined;
      /** JSON: dotted path of the number in the payload that is aggregated, or drawn by `points`. May be given more than once for aggregates. SenML aggregates the value. */
      agg_field?: string | string[] | undefined;
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear' | undefined;
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string | undefined;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number | undefined;
      /** Messages, or intervals, in a page at most. */
      limit?: number | undefined;
      /** Messages, or intervals, left out before the page. */
      offset?: number | undefined;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it. */
      cursor?: string | undefined;
    };
  };
  /** Delete the messages of all things one administers, or one’s own as a thing */
  deleteMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Messages as a file */
  exportMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Order of the messages: `desc` begins with the newest day. */
      dir?: 'asc' | 'desc' | undefined;
      /** Type of the file; without it `Accept` says, and otherwise it is `json`. */
      convert?: 'json' | 'csv' | 'ndjson' | 'parquet' | 'arrow' | undefined;
    };
  };
  /** Delete the messages of a thing */
  deleteMessagesOfThing_json: {
    path: {
      publisher: string;
    };
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Messages as they come, as server-sent events; goes on behind a `Last-Event-ID` */
  followMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
    };
  };
  /** Messages as they come, as server-sent events; goes on behind a `Last-Event-ID` */
  followMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string | undefined;
    };
  };
  /** All messages of both formats as one file */
  backupMessages: Record<string, never>;
  /** The state of the service and its neighbours */
  viewHealth: Record<string, never>;
  /** Metrics for Prometheus */
  viewMetrics: Record<string, never>;
  /** Read messages by one query or by many, each answered in its place */
  searchMessages_senml: {
    body?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** JSON: dotted path of the number in the payload that is aggregated, or drawn by `points`. May be given more than once for aggregates. SenML aggregates the value. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    }[] | {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** JSON: dotted path of the number in the payload that is aggregated, or drawn by `points`. May be given more than once for aggregates. SenML aggregates the value. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    };
  };
  /** Read messages by one query or by many, each answered in its place */
  searchMessages_json: {
    body?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** JSON: dotted path of the number in the payload that is aggregated, or drawn by `points`. May be given more than once for aggregates. SenML aggregates the value. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    }[] | {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the payload’s member `name`. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC), or ISO 8601 with a zone, such as `2026-11-21T10:00:00.5Z`. An integer is never taken for seconds: `1795341376` is less than two seconds after 1970 began. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** JSON: dotted path of the number in the payload that is aggregated, or drawn by `points`. May be given more than once for aggregates. SenML aggregates the value. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    };
  };
  /** Add what is missing of a backup, or of a file of the platform’s older kind */
  restoreMessages: {
    body: {
      json_messages: (Record<string, unknown>)[];
      senml_messages: (Record<string, unknown>)[];
    };
  };
  /** The figures of every run of the benchmarks */
  viewBenchResults: Record<string, never>;
};

/** The JSON that each operation answers. */
export type Answers = {
  sendMessages: undefined;
  sendMessagesOfSubtopic: undefined;
  viewDocs: Record<string, unknown>;
  issueToken: {
    token: string;
  };
  createUser: undefined;
  listUsers: Users;
  updateOwnMetadata: undefined;
  viewUser: User;
  viewOwnUser: User;
  searchUsers: Users;
  changeOwnPassword: undefined;
  createOrg: undefined;
  listOrgs: Orgs;
  viewOrg: Org;
  updateOrg: undefined;
  deleteOrg: undefined;
  searchOrgs: Orgs;
  addOrgMembers: undefined;
  changeOrgRoles: undefined;
  removeOrgMembers: undefined;
  listOrgMembers: OrgMemberships;
  viewOrgMember: OrgMembership;
  createGroups: {
    groups: Group[];
  };
  listOrgGroups: Groups;
  viewGroup: Group;
  updateGroup: undefined;
  deleteGroup: undefined;
  listGroups: Groups;
  deleteGroups: undefined;
  createTreeGroup: undefined;
  searchGroups: Groups;
  searchOrgGroups: Groups;
  viewThingGroup: Group;
  viewProfileGroup: Group;
  addGroupMembers: Record<string, unknown>;
  changeGroupRoles: undefined;
  removeGroupMembers: undefined;
  listGroupMembers: GroupMemberships;
  createProfiles: {
    profiles: Profile[];
  };
  listGroupProfiles: Profiles;
  viewProfile: Profile;
  updateProfile: undefined;
  deleteProfile: undefined;
  viewThingProfile: Profile;
  listProfiles: Profiles;
  deleteProfiles: undefined;
  searchProfiles: Profiles;
  searchGroupProfiles: Profiles;
  listOrgProfiles: Profiles;
  searchOrgProfiles: Profiles;
  createThings: {
    things: Thing[];
  };
  listProfileThings: Things;
  viewThing: Thing;
  updateThing: undefined;
  moveThing: undefined;
  deleteThing: undefined;
  listThings: Things;
  updateThingsMetadata: undefined;
  deleteThings: undefined;
  searchThings: Things;
  listOrgThings: Things;
  searchOrgThings: Things;
  listGroupThings: Things;
  searchGroupThings: Things;
  searchProfileThings: Things;
  setExternalKey: undefined;
  removeExternalKey: undefined;
  viewOwnMetadata: {
    metadata: Record<string, unknown>;
  };
  identifyThing: {
    id: string;
  };
  issueCertificate: IssuedCertificate;
  viewCertificate: Certificate;
  renewCertificate: IssuedCertificate;
  revokeCertificate: Revocation;
  listSerials: Serials;
  viewRevocationList: undefined;
  createWebhooks: Webhook[] | {
    webhooks: Webhook[];
  };
  listThingWebhooks: Webhooks;
  createGroupWebhooks: Webhook[] | {
    webhooks: Webhook[];
  };
  listGroupWebhooks: Webhooks;
  createOrgWebhooks: Webhook[] | {
    webhooks: Webhook[];
  };
  listOrgWebhooks: Webhooks;
  viewWebhook: Webhook;
  updateWebhook: undefined;
  deleteWebhooks_delete: undefined;
  deleteWebhooks_patch: undefined;
  pingWebhook: {
    message_id: string;
  };
  listWebhookDeliveries: WebhookDeliveries;
  replayWebhook: {
    queued: number;
  };
  viewTreeGroup: TreeGroup;
  updateTreeGroup: undefined;
  deleteTreeGroup: undefined;
  listTreeParents: TreeGroups;
  listTreeChildren: TreeGroups;
  addTreeMembers: undefined;
  removeTreeMembers: undefined;
  listTreeMembers: TreeMembers;
  listTreeUsers: TreeUsers;
  listTreeThings: TreeThings;
  listTreeGroupsOfMember: TreeGroups;
  issueKey: IssuedApiKey;
  listKeys: ApiKeys;
  viewKey: ApiKey;
  revokeKey: undefined;
  createOrgInvite: undefined;
  listOrgInvites: OrgInvites;
  createPlatformInvite: undefined;
  listPlatformInvites: PlatformInvites;
  registerByInvite: undefined;
  viewInvite: Invite;
  revokeInvite: undefined;
  acceptInvite: undefined;
  declineInvite: undefined;
  listReceivedInvites: InvitesOfUser;
  listSentInvites: InvitesOfUser;
  readMessages_senml: {
    offset: number;
    limit: number;
    format: 'senml' | 'json';
    total: number;
    messages: (Record<string, unknown>)[];
    next?: string;
  };
  deleteMessages_senml: undefined;
  exportMessages_senml: (Record<string, unknown>)[];
  deleteMessagesOfThing_senml: undefined;
  readMessages_json: {
    offset: number;
    limit: number;
    format: 'senml' | 'json';
    total: number;
    messages: (Record<string, unknown>)[];
    next?: string;
  };
  deleteMessages_json: undefined;
  exportMessages_json: (Record<string, unknown>)[];
  deleteMessagesOfThing_json: undefined;
  followMessages_senml: undefined;
  followMessages_json: undefined;
  backupMessages: undefined;
  viewHealth: {
    status: 'pass' | 'warn' | 'fail';
    checks: Record<string, {
      status: string;
      output?: string;
    }[]>;
  };
  viewMetrics: undefined;
  searchMessages_senml: {
    offset: number;
    limit: number;
    format: 'senml' | 'json';
    total: number;
    messages: (Record<string, unknown>)[];
    next?: string;
  } | {
    total: number;
    messages: (Record<string, unknown>)[];
    error?: string;
  }[];
  searchMessages_json: {
    offset: number;
    limit: number;
    format: 'senml' | 'json';
    total: number;
    messages: (Record<string, unknown>)[];
    next?: string;
  } | {
    total: number;
    messages: (Record<string, unknown>)[];
    error?: string;
  }[];
  restoreMessages: undefined;
  viewBenchResults: {
    runs: {
      at: string;
      commit: string;
      machine: string;
      node: string;
      clickhouse: string;
      jsonParseMBs: number;
      results: Record<string, {
        name: string;
        value: number | null;
        unit: string;
        goal: string;
        reached: boolean;
        note?: string;
      }[]>;
    }[];
  };
};

export type OperationName = keyof Requests;

/** Where an operation is, and a member that its answer has: all of a list, the first of anything else. */
export type Place = { method: Method; path: string; tag: Tag; has?: string };
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Tag = 'messages' | 'service' | 'users' | 'orgs' | 'groups' | 'hierarchical groups' | 'profiles' | 'things' | 'certificates' | 'webhooks' | 'keys' | 'invites';

export const places: Readonly<Record<OperationName, Place>> = {
  sendMessages: { method: 'POST', path: '/http/messages', tag: 'messages' },
  sendMessagesOfSubtopic: { method: 'POST', path: '/http/messages/{subtopic}', tag: 'messages' },
  viewDocs: { method: 'GET', path: '/docs/json', tag: 'service' },
  issueToken: { method: 'POST', path: '/tokens', tag: 'users', has: 'token' },
  createUser: { method: 'POST', path: '/users', tag: 'users' },
  listUsers: { method: 'GET', path: '/users', tag: 'users', has: 'Users' },
  updateOwnMetadata: { method: 'PUT', path: '/users', tag: 'users' },
  viewUser: { method: 'GET', path: '/users/{id}', tag: 'users', has: 'id' },
  viewOwnUser: { method: 'GET', path: '/users/profile', tag: 'users', has: 'id' },
  searchUsers: { method: 'POST', path: '/users/search', tag: 'users', has: 'Users' },
  changeOwnPassword: { method: 'PATCH', path: '/password', tag: 'users' },
  createOrg: { method: 'POST', path: '/orgs', tag: 'orgs' },
  listOrgs: { method: 'GET', path: '/orgs', tag: 'orgs', has: 'orgs' },
  viewOrg: { method: 'GET', path: '/orgs/{id}', tag: 'orgs', has: 'id' },
  updateOrg: { method: 'PUT', path: '/orgs/{id}', tag: 'orgs' },
  deleteOrg: { method: 'DELETE', path: '/orgs/{id}', tag: 'orgs' },
  searchOrgs: { method: 'POST', path: '/orgs/search', tag: 'orgs', has: 'orgs' },
  addOrgMembers: { method: 'POST', path: '/orgs/{id}/memberships', tag: 'orgs' },
  changeOrgRoles: { method: 'PUT', path: '/orgs/{id}/memberships', tag: 'orgs' },
  removeOrgMembers: { method: 'PATCH', path: '/orgs/{id}/memberships', tag: 'orgs' },
  listOrgMembers: { method: 'GET', path: '/orgs/{id}/memberships', tag: 'orgs', has: 'org_memberships' },
  viewOrgMember: { method: 'GET', path: '/orgs/{id}/members/{memberId}', tag: 'orgs', has: 'member_id' },
  createGroups: { method: 'POST', path: '/orgs/{id}/groups', tag: 'groups', has: 'groups' },
  listOrgGroups: { method: 'GET', path: '/orgs/{id}/groups', tag: 'groups', has: 'groups' },
  viewGroup: { method: 'GET', path: '/groups/{id}', tag: 'groups', has: 'id' },
  updateGroup: { method: 'PUT', path: '/groups/{id}', tag: 'groups' },
  deleteGroup: { method: 'DELETE', path: '/groups/{id}', tag: 'groups' },
  listGroups: { method: 'GET', path: '/groups', tag: 'groups', has: 'groups' },
  deleteGroups: { method: 'PATCH', path: '/groups', tag: 'groups' },
  createTreeGroup: { method: 'POST', path: '/groups', tag: 'hierarchical groups' },
  searchGroups: { method: 'POST', path: '/groups/search', tag: 'groups', has: 'groups' },
  searchOrgGroups: { method: 'POST', path: '/orgs/{id}/groups/search', tag: 'groups', has: 'groups' },
  viewThingGroup: { method: 'GET', path: '/things/{id}/groups', tag: 'groups', has: 'id' },
  viewProfileGroup: { method: 'GET', path: '/profiles/{id}/groups', tag: 'groups', has: 'id' },
  addGroupMembers: { method: 'POST', path: '/groups/{id}/memberships', tag: 'groups' },
  changeGroupRoles: { method: 'PUT', path: '/groups/{id}/memberships', tag: 'groups' },
  removeGroupMembers: { method: 'PATCH', path: '/groups/{id}/memberships', tag: 'groups' },
  listGroupMembers: { method: 'GET', path: '/groups/{id}/memberships', tag: 'groups', has: 'group_memberships' },
  createProfiles: { method: 'POST', path: '/groups/{id}/profiles', tag: 'profiles', has: 'profiles' },
  listGroupProfiles: { method: 'GET', path: '/groups/{id}/profiles', tag: 'profiles', has: 'profiles' },
  viewProfile: { method: 'GET', path: '/profiles/{id}', tag: 'profiles', has: 'id' },
  updateProfile: { method: 'PUT', path: '/profiles/{id}', tag: 'profiles' },
  deleteProfile: { method: 'DELETE', path: '/profiles/{id}', tag: 'profiles' },
  viewThingProfile: { method: 'GET', path: '/things/{id}/profiles', tag: 'profiles', has: 'id' },
  listProfiles: { method: 'GET', path: '/profiles', tag: 'profiles', has: 'profiles' },
  deleteProfiles: { method: 'PATCH', path: '/profiles', tag: 'profiles' },
  searchProfiles: { method: 'POST', path: '/profiles/search', tag: 'profiles', has: 'profiles' },
  searchGroupProfiles: { method: 'POST', path: '/groups/{id}/profiles/search', tag: 'profiles', has: 'profiles' },
  listOrgProfiles: { method: 'GET', path: '/orgs/{id}/profiles', tag: 'profiles', has: 'profiles' },
  searchOrgProfiles: { method: 'POST', path: '/orgs/{id}/profiles/search', tag: 'profiles', has: 'profiles' },
  createThings: { method: 'POST', path: '/profiles/{id}/things', tag: 'things', has: 'things' },
  listProfileThings: { method: 'GET', path: '/profiles/{id}/things', tag: 'things', has: 'things' },
  viewThing: { method: 'GET', path: '/things/{id}', tag: 'things', has: 'id' },
  updateThing: { method: 'PUT', path: '/things/{id}', tag: 'things' },
  moveThing: { method: 'PATCH', path: '/things/{id}', tag: 'things' },
  deleteThing: { method: 'DELETE', path: '/things/{id}', tag: 'things' },
  listThings: { method: 'GET', path: '/things', tag: 'things', has: 'things' },
  updateThingsMetadata: { method: 'PUT', path: '/things', tag: 'things' },
  deleteThings: { method: 'PATCH', path: '/things', tag: 'things' },
  searchThings: { method: 'POST', path: '/things/search', tag: 'things', has: 'things' },
  listOrgThings: { method: 'GET', path: '/orgs/{id}/things', tag: 'things', has: 'things' },
  searchOrgThings: { method: 'POST', path: '/orgs/{id}/things/search', tag: 'things', has: 'things' },
  listGroupThings: { method: 'GET', path: '/groups/{id}/things', tag: 'things', has: 'things' },
  searchGroupThings: { method: 'POST', path: '/groups/{id}/things/search', tag: 'things', has: 'things' },
  searchProfileThings: { method: 'POST', path: '/profiles/{id}/things/search', tag: 'things', has: 'things' },
  setExternalKey: { method: 'PATCH', path: '/things/{id}/external-key', tag: 'things' },
  removeExternalKey: { method: 'DELETE', path: '/things/{id}/external-key', tag: 'things' },
  viewOwnMetadata: { method: 'GET', path: '/metadata', tag: 'things', has: 'metadata' },
  identifyThing: { method: 'POST', path: '/identify', tag: 'things', has: 'id' },
  issueCertificate: { method: 'POST', path: '/certs', tag: 'certificates', has: 'ca_chain' },
  viewCertificate: { method: 'GET', path: '/certs/{serial}', tag: 'certificates', has: 'ca_chain' },
  renewCertificate: { method: 'PUT', path: '/certs/{serial}', tag: 'certificates', has: 'ca_chain' },
  revokeCertificate: { method: 'DELETE', path: '/certs/{serial}', tag: 'certificates', has: 'revocation_time' },
  listSerials: { method: 'GET', path: '/things/{id}/serials', tag: 'certificates', has: 'certs' },
  viewRevocationList: { method: 'GET', path: '/crl', tag: 'certificates' },
  createWebhooks: { method: 'POST', path: '/things/{id}/webhooks', tag: 'webhooks' },
  listThingWebhooks: { method: 'GET', path: '/things/{id}/webhooks', tag: 'webhooks', has: 'webhooks' },
  createGroupWebhooks: { method: 'POST', path: '/groups/{id}/webhooks', tag: 'webhooks' },
  listGroupWebhooks: { method: 'GET', path: '/groups/{id}/webhooks', tag: 'webhooks', has: 'webhooks' },
  createOrgWebhooks: { method: 'POST', path: '/orgs/{id}/webhooks', tag: 'webhooks' },
  listOrgWebhooks: { method: 'GET', path: '/orgs/{id}/webhooks', tag: 'webhooks', has: 'webhooks' },
  viewWebhook: { method: 'GET', path: '/webhooks/{id}', tag: 'webhooks', has: 'id' },
  updateWebhook: { method: 'PUT', path: '/webhooks/{id}', tag: 'webhooks' },
  deleteWebhooks_delete: { method: 'DELETE', path: '/webhooks', tag: 'webhooks' },
  deleteWebhooks_patch: { method: 'PATCH', path: '/webhooks', tag: 'webhooks' },
  pingWebhook: { method: 'POST', path: '/webhooks/{id}/ping', tag: 'webhooks', has: 'message_id' },
  listWebhookDeliveries: { method: 'GET', path: '/webhooks/{id}/deliveries', tag: 'webhooks', has: 'deliveries' },
  replayWebhook: { method: 'POST', path: '/webhooks/{id}/replay', tag: 'webhooks', has: 'queued' },
  viewTreeGroup: { method: 'GET', path: '/svcauth/groups/{id}', tag: 'hierarchical groups', has: 'id' },
  updateTreeGroup: { method: 'PUT', path: '/svcauth/groups/{id}', tag: 'hierarchical groups' },
  deleteTreeGroup: { method: 'DELETE', path: '/svcauth/groups/{id}', tag: 'hierarchical groups' },
  listTreeParents: { method: 'GET', path: '/groups/{id}/parents', tag: 'hierarchical groups', has: 'groups' },
  listTreeChildren: { method: 'GET', path: '/groups/{id}/children', tag: 'hierarchical groups', has: 'groups' },
  addTreeMembers: { method: 'POST', path: '/groups/{id}/members', tag: 'hierarchical groups' },
  removeTreeMembers: { method: 'DELETE', path: '/groups/{id}/members', tag: 'hierarchical groups' },
  listTreeMembers: { method: 'GET', path: '/groups/{id}/members', tag: 'hierarchical groups', has: 'Members' },
  listTreeUsers: { method: 'GET', path: '/groups/users/{id}', tag: 'hierarchical groups', has: 'users' },
  listTreeThings: { method: 'GET', path: '/groups/things/{id}', tag: 'hierarchical groups', has: 'things' },
  listTreeGroupsOfMember: { method: 'GET', path: '/members/{id}/groups', tag: 'hierarchical groups', has: 'groups' },
  issueKey: { method: 'POST', path: '/keys', tag: 'keys', has: 'id' },
  listKeys: { method: 'GET', path: '/keys', tag: 'keys', has: 'keys' },
  viewKey: { method: 'GET', path: '/keys/{id}', tag: 'keys', has: 'id' },
  revokeKey: { method: 'DELETE', path: '/keys/{id}', tag: 'keys' },
  createOrgInvite: { method: 'POST', path: '/orgs/{id}/invites', tag: 'invites' },
  listOrgInvites: { method: 'GET', path: '/orgs/{id}/invites', tag: 'invites', has: 'invites' },
  createPlatformInvite: { method: 'POST', path: '/invites', tag: 'invites' },
  listPlatformInvites: { method: 'GET', path: '/invites', tag: 'invites', has: 'invites' },
  registerByInvite: { method: 'POST', path: '/register/invite/{id}', tag: 'invites' },
  viewInvite: { method: 'GET', path: '/invites/{id}', tag: 'invites', has: 'id' },
  revokeInvite: { method: 'DELETE', path: '/invites/{id}', tag: 'invites' },
  acceptInvite: { method: 'POST', path: '/invites/{id}/accept', tag: 'invites' },
  declineInvite: { method: 'POST', path: '/invites/{id}/decline', tag: 'invites' },
  listReceivedInvites: { method: 'GET', path: '/users/{id}/invites/received', tag: 'invites', has: 'invites' },
  listSentInvites: { method: 'GET', path: '/users/{id}/invites/sent', tag: 'invites', has: 'invites' },
  readMessages_senml: { method: 'GET', path: '/reader/senml', tag: 'messages', has: 'messages' },
  deleteMessages_senml: { method: 'DELETE', path: '/reader/senml', tag: 'messages' },
  exportMessages_senml: { method: 'GET', path: '/reader/senml/export', tag: 'messages' },
  deleteMessagesOfThing_senml: { method: 'DELETE', path: '/reader/senml/{publisher}', tag: 'messages' },
  readMessages_json: { method: 'GET', path: '/reader/json', tag: 'messages', has: 'messages' },
  deleteMessages_json: { method: 'DELETE', path: '/reader/json', tag: 'messages' },
  exportMessages_json: { method: 'GET', path: '/reader/json/export', tag: 'messages' },
  deleteMessagesOfThing_json: { method: 'DELETE', path: '/reader/json/{publisher}', tag: 'messages' },
  followMessages_senml: { method: 'GET', path: '/reader/senml/live', tag: 'messages' },
  followMessages_json: { method: 'GET', path: '/reader/json/live', tag: 'messages' },
  backupMessages: { method: 'GET', path: '/reader/backup', tag: 'messages' },
  viewHealth: { method: 'GET', path: '/health', tag: 'service', has: 'status' },
  viewMetrics: { method: 'GET', path: '/metrics', tag: 'service' },
  searchMessages_senml: { method: 'POST', path: '/reader/senml/search', tag: 'messages' },
  searchMessages_json: { method: 'POST', path: '/reader/json/search', tag: 'messages' },
  restoreMessages: { method: 'POST', path: '/reader/restore', tag: 'messages' },
  viewBenchResults: { method: 'GET', path: '/bench/results', tag: 'service', has: 'runs' },
};
