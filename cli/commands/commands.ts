import type { AddCommands } from '../invocation/command.ts';

/** The help text of a group of commands, and how to load them when they are needed. */
type Group = { about: string; load: () => Promise<{ addCommands: AddCommands }> };

export const groups: Readonly<Record<string, Group>> = {
  admin: {
    about: 'The installation, for platform admins',
    load: () => import('./management/admin.ts'),
  },
  certs: { about: 'Certificates of things', load: () => import('./devices/certs.ts') },
  group_memberships: {
    about: 'Members of a group, and their roles',
    load: () => import('./management/group-memberships.ts'),
  },
  groups: { about: 'Groups of an org', load: () => import('./management/groups.ts') },
  invites: { about: 'Invites to an org', load: () => import('./management/invites.ts') },
  health: { about: 'Health of the server', load: () => import('./session/health.ts') },
  keys: { about: 'API keys', load: () => import('./management/keys.ts') },
  messages: {
    about: 'Send, read, follow, export, back up and delete messages',
    load: () => import('./messages/messages.ts'),
  },
  orgs: { about: 'Organizations', load: () => import('./management/orgs.ts') },
  org_memberships: {
    about: 'Members of an org, and their roles',
    load: () => import('./management/org-memberships.ts'),
  },
  platform_invites: {
    about: 'Invites of people who have no account',
    load: () => import('./management/platform-invites.ts'),
  },
  profiles: { about: 'Profiles of things', load: () => import('./devices/profiles.ts') },
  provision: {
    about: 'Create things and profiles from a file',
    load: () => import('./devices/provision.ts'),
  },
  sessions: {
    about: 'Browsers that you are signed in with',
    load: () => import('./session/sessions.ts'),
  },
  things: { about: 'Devices and their keys', load: () => import('./devices/things.ts') },
  tree_groups: {
    about: 'Hierarchical groups of things, users and other entities',
    load: () => import('./management/tree-groups.ts'),
  },
  users: { about: 'Users and tokens', load: () => import('./management/users.ts') },
  webhooks: {
    about: 'URLs that receive what things publish',
    load: () => import('./devices/webhooks.ts'),
  },
};
