import type { ComponentType } from 'preact';
import type { PageProps } from './router.ts';
import type { User } from './client/session.ts';
import { pagesTexts } from './texts/pages.ts';
import type { IconName } from './ui/icons.tsx';

export type Page = {
  /** Its address; a part that begins with a colon is a parameter. */
  path: string;
  /** Loaded when it is opened: each page is a script of its own. */
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** How the navigation shows it; absent: it is reached from another page. `key` follows `g`. */
  shown?: { text: string; icon: IconName; key: string };
  /** The path of the page that the navigation marks, of a page that it does not show. */
  within?: string;
  /** Whether it is for this user; absent: for all. The API decides in any case. */
  isFor?: (user: User) => boolean;
};

/** The pages, in the order of the navigation. */
export const pages: readonly Page[] = [
  {
    path: '/',
    load: () => import('./home/home.tsx'),
    shown: { text: pagesTexts.home, icon: 'home', key: 'h' },
  },
  {
    path: '/things',
    load: () => import('./things/list.tsx'),
    shown: { text: pagesTexts.things, icon: 'things', key: 't' },
  },
  {
    path: '/explore',
    load: () => import('./explore/explore.tsx'),
    shown: { text: pagesTexts.explore, icon: 'explore', key: 'e' },
  },
  { path: '/things/import', load: () => import('./importing/import.tsx'), within: '/things' },
  { path: '/things/:id', load: () => import('./things/thing.tsx'), within: '/things' },
  {
    path: '/dashboards',
    load: () => import('./dashboards/list.tsx'),
    shown: { text: pagesTexts.dashboards, icon: 'dashboards', key: 'd' },
  },
  { path: '/dashboards/new', load: () => import('./dashboards/new.tsx'), within: '/dashboards' },
  {
    path: '/dashboards/:id',
    load: () => import('./dashboards/dashboard.tsx'),
    within: '/dashboards',
  },
  {
    path: '/alarms',
    load: () => import('./alarms/list.tsx'),
    shown: { text: pagesTexts.alarms, icon: 'alarms', key: 'a' },
  },
  { path: '/alarms/:id', load: () => import('./alarms/alarm.tsx'), within: '/alarms' },
  { path: '/rules', load: () => import('./rules/list.tsx'), within: '/alarms' },
  { path: '/rules/:id', load: () => import('./rules/rule.tsx'), within: '/alarms' },
  { path: '/silences', load: () => import('./alarms/silences.tsx'), within: '/alarms' },
  { path: '/receivers', load: () => import('./rules/receivers.tsx'), within: '/alarms' },
  {
    path: '/webhooks',
    load: () => import('./webhooks/list.tsx'),
    shown: { text: pagesTexts.webhooks, icon: 'webhooks', key: 'w' },
  },
  {
    path: '/webhooks/:id',
    load: () => import('./webhooks/webhook.tsx'),
    within: '/webhooks',
  },
  {
    path: '/organization',
    load: () => import('./organization/organization.tsx'),
    shown: { text: pagesTexts.organization, icon: 'organization', key: 'o' },
  },
  {
    path: '/groups/:id',
    load: () => import('./organization/group.tsx'),
    within: '/organization',
  },
  {
    path: '/profiles/:id',
    load: () => import('./organization/profile.tsx'),
    within: '/organization',
  },
  {
    path: '/invites/:id',
    load: () => import('./organization/invite.tsx'),
    within: '/organization',
  },
  { path: '/you', load: () => import('./you/you.tsx') },
  {
    path: '/operations',
    load: () => import('./operations/operations.tsx'),
    shown: { text: pagesTexts.operations, icon: 'operations', key: 'p' },
    isFor: isForAdmin,
  },
  ...ofOperations({
    '/operations/queues': () => import('./queues/list.tsx'),
    '/operations/queues/:name': () => import('./queues/queue.tsx'),
    '/operations/users': () => import('./operations/users.tsx'),
    '/operations/backups': () => import('./operations/backups.tsx'),
    '/operations/audit': () => import('./operations/audit.tsx'),
  }),
];

function isForAdmin({ platform_admin: isAdmin }: User): boolean {
  return isAdmin;
}

/** Pages for platform admins, which the tabs of the operations lead to. */
function ofOperations(loads: Readonly<Record<string, Page['load']>>): Page[] {
  return Object.entries(loads).map(([path, load]) => ({
    path,
    load,
    within: '/operations',
    isFor: isForAdmin,
  }));
}
