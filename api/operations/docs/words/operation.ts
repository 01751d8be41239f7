import type { ErrorCode } from '../../../../schemas/http/errors.ts';

/** The sections of the documentation, in the order they stand there. */
export const tags = {
  users: 'Users, their tokens and passwords',
  keys: 'API keys of users',
  sessions: 'Browsers that users are signed in with',
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

export const conflict = ['conflict'] as const;
export const absent = ['not_found'] as const;
/** Who may not is told from what is absent only after it was looked up. */
export const others = ['forbidden', 'not_found'] as const;
