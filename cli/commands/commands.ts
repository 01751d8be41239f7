import type { AddCommands } from '../invocation/command.ts';

/** The help text of a group of commands, and how to load them when they are needed. */
type Group = { about: string; load: () => Promise<AddCommands> };

export const groups: Readonly<Record<string, Group>> = {
  admin: {
    about: 'The installation, for platform admins',
    load: async () => (await import('./admin.ts')).addCommands,
  },
  alarms: {
    about: 'Alarms of things: list, acknowledge, export, and watch them come',
    load: async () => (await import('./alarms.ts')).addCommands,
  },
  certs: {
    about: 'Certificates of things',
    load: async () => (await import('./certs.ts')).addCommands,
  },
  commands: {
    about: 'What things were told to do, and what became of it',
    load: async () => (await import('./device-commands.ts')).addCommands,
  },
  dashboards: {
    about: 'Charts of things side by side, and what they were before',
    load: async () => (await import('./dashboards.ts')).addCommands,
  },
  group_memberships: {
    about: 'Members of a group, and their roles',
    load: async () => (await import('./memberships.ts')).addGroupMemberships,
  },
  groups: {
    about: 'Groups of an org',
    load: async () => (await import('./groups.ts')).addCommands,
  },
  invites: {
    about: 'Invites to an org',
    load: async () => (await import('./invites.ts')).addCommands,
  },
  health: {
    about: 'Health of the server',
    load: async () => (await import('./health.ts')).addCommands,
  },
  keys: { about: 'API keys', load: async () => (await import('./keys.ts')).addCommands },
  messages: {
    about: 'Send, read, follow, export, back up and delete messages',
    load: async () => (await import('./messages/messages.ts')).addCommands,
  },
  orgs: { about: 'Organizations', load: async () => (await import('./orgs.ts')).addCommands },
  org_memberships: {
    about: 'Members of an org, and their roles',
    load: async () => (await import('./memberships.ts')).addOrgMemberships,
  },
  platform_invites: {
    about: 'Invites of people who have no account',
    load: async () => (await import('./platform-invites.ts')).addCommands,
  },
  profiles: {
    about: 'Profiles of things',
    load: async () => (await import('./profiles.ts')).addCommands,
  },
  provision: {
    about: 'Create things and profiles from a file',
    load: async () => (await import('./provision.ts')).addCommands,
  },
  rules: {
    about: 'When alarms are raised, and who hears of them',
    load: async () => (await import('./rules.ts')).addCommands,
  },
  sessions: {
    about: 'Browsers that you are signed in with',
    load: async () => (await import('./sessions.ts')).addCommands,
  },
  annotations: {
    about: 'What people know of a time, beside what things sent',
    load: async () => (await import('./annotations.ts')).addCommands,
  },
  silences: {
    about: 'When nobody is told of alarms',
    load: async () => (await import('./silences.ts')).addCommands,
  },
  things: {
    about: 'Devices and their keys',
    load: async () => (await import('./things.ts')).addCommands,
  },
  tree_groups: {
    about: 'Hierarchical groups of things, users and other entities',
    load: async () => (await import('./tree-groups.ts')).addCommands,
  },
  users: { about: 'Users and tokens', load: async () => (await import('./users.ts')).addCommands },
  webhooks: {
    about: 'URLs that receive what things publish',
    load: async () => (await import('./webhooks.ts')).addCommands,
  },
};
