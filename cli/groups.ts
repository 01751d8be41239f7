import type { AddCommands } from './command.ts';

/** What help says of a group of commands, and where they are: loaded only when they are meant. */
type Group = { about: string; load: () => Promise<{ addCommands: AddCommands }> };

export const groups: Readonly<Record<string, Group>> = {
  certs: { about: 'Certificates of things', load: () => import('./commands/certs.ts') },
  group_memberships: {
    about: 'Who is in a group, and their roles',
    load: () => import('./commands/group-memberships.ts'),
  },
  groups: { about: 'Groups of an org', load: () => import('./commands/groups.ts') },
  invites: { about: 'Invites to an org', load: () => import('./commands/invites.ts') },
  health: { about: 'How the server is', load: () => import('./commands/health.ts') },
  keys: { about: 'API keys', load: () => import('./commands/keys.ts') },
  messages: {
    about: 'Send, read, follow, export, back up and delete messages',
    load: () => import('./commands/messages.ts'),
  },
  orgs: { about: 'Organizations', load: () => import('./commands/orgs.ts') },
  org_memberships: {
    about: 'Who is in an org, and their roles',
    load: () => import('./commands/org-memberships.ts'),
  },
  platform_invites: {
    about: 'Invites of people who have no account',
    load: () => import('./commands/platform-invites.ts'),
  },
  profiles: { about: 'Profiles of things', load: () => import('./commands/profiles.ts') },
  provision: {
    about: 'Create things and profiles from a file',
    load: () => import('./commands/provision.ts'),
  },
  things: { about: 'Devices and their keys', load: () => import('./commands/things.ts') },
  tree_groups: {
    about: 'Hierarchical groups of things, users and what else has an id',
    load: () => import('./commands/tree-groups.ts'),
  },
  users: { about: 'Users and tokens', load: () => import('./commands/users.ts') },
  webhooks: {
    about: 'URLs that get what a thing publishes',
    load: () => import('./commands/webhooks.ts'),
  },
};
