import type { Command } from 'commander';
import type {
  DashboardChange,
  NewDashboard,
  NewDashboardShare,
} from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import {
  countOrNone,
  description,
  type Fields,
  json,
  type ListFilters,
  name,
  namedFilters,
  text,
  timeAhead,
} from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import { UsageError } from '../input/usage.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { listedOf, make, of, searched, show } from './ordinary.ts';

const newDashboard: Fields<NewDashboard> = {
  name,
  description,
  content: json(
    '--content <json>',
    `panels and range: '{"panels":[],"range":{"last":"24h"}}'; "export" shows those of another`,
  ),
};
const dashboardChange: Fields<DashboardChange> = {
  ...newDashboard,
  version: countOrNone('--made-from <n>', 'version that it was made from; default: that there is'),
};

const { metadata: _, ...filters } = namedFilters;
const listFilters: ListFilters<'listGroupDashboards'> = filters;

/** Both places, by the argument that names them. */
const places = {
  group: {
    id: 'group_id',
    flag: { argument: 'group_id', flags: '--group <id>' },
    what: 'a group',
    create: 'createGroupDashboard',
    list: 'listGroupDashboards',
    search: 'searchGroupDashboards',
  },
  org: {
    id: 'org_id',
    flag: { argument: 'org_id', flags: '--org <id>' },
    what: 'an org',
    create: 'createOrgDashboard',
    list: 'listOrgDashboards',
    search: 'searchOrgDashboards',
  },
} as const;

export const addCommands: AddCommands = (group, add) => {
  addCreation(group, add);
  addReading(group, add);
  addChanges(group, add);
  addVersions(group, add);
  addShares(group, add);
};

function addCreation(group: Command, add: Add): void {
  for (const [place, command] of [
    ['group', 'create'],
    ['org', 'create-for-org'],
  ] as const) {
    const { id, flag, what, create } = places[place];
    const variable = place === 'group' ? '$GROUP' : '$ORG';
    add(
      group,
      `${command} <JSON> <${id}> [token]`,
      `Create a dashboard of ${what}, or import one that was exported`,
      make(create, (call) => ({
        ...of(id)(call),
        body: call.object('JSON', having<NewDashboard>('name', 'content')),
      })),
      {
        fields: newDashboard,
        parent: flag,
        examples: [
          `dashboards ${command} - ${variable} < dashboard.json`,
          `dashboards ${command} ${variable} --name Empty --content '{"panels":[],"range":{"last":"24h"}}'`,
        ],
      },
    );
  }
}

function addReading(group: Command, add: Add): void {
  const extras = { fields: listFilters, uses: pageFlags };
  const found = { list: group, search: group };
  for (const place of ['group', 'org'] as const) {
    const { id, flag, what, list, search } = places[place];
    const isFirst = place === 'group';
    const words = isFirst ? what : `${what}, and of your groups in it`;
    const listed = add(
      found.list,
      `${isFirst ? 'list' : 'by-org'} <${id}> [token]`,
      `List the dashboards of ${words}`,
      show(list, listedOf(id)),
      extras,
    );
    const searches = add(
      found.search,
      `${isFirst ? 'search' : 'by-org'} <JSON> <${id}> [token]`,
      `Search the dashboards of ${words}`,
      show(search, (call) => ({ ...searched(call), ...of(id)(call) })),
      {
        ...extras,
        parent: flag,
        examples: [
          isFirst
            ? 'dashboards search --name cold --group $GROUP'
            : 'dashboards search by-org --name cold --org $ORG',
        ],
      },
    );
    if (isFirst) Object.assign(found, { list: listed, search: searches });
  }
  add(
    group,
    'get <dashboard_id> [token]',
    'Show a dashboard',
    show('viewDashboard', of('dashboard_id')),
  ).alias('show');
  add(
    group,
    'export <dashboard_id> [token]',
    'Write what a dashboard is as JSON, which "create" takes',
    async (call) => {
      const { name: called, description: says, content } = await viewed(call);
      const file = { name: called, description: says, content };
      await call.output.write(`${JSON.stringify(file, null, 2)}\n`);
    },
    { examples: ['dashboards export $DASHBOARD > dashboard.json'] },
  );
}

const viewed = (call: Call) => call.ask('viewDashboard', of('dashboard_id')(call));

function addChanges(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <dashboard_id> [token]',
    'Change a dashboard; what it was stays as a version',
    async (call) => {
      const change = call.object('JSON', having<Partial<DashboardChange>>());
      const version = change.version ?? (await viewed(call)).version;
      const request = { ...of('dashboard_id')(call), body: { ...change, version } };
      await call.ask('updateDashboard', request);
      await call.output.ok();
    },
    {
      fields: dashboardChange,
      examples: [
        'dashboards update $DASHBOARD --name "Cold chain"',
        'dashboards update - $DASHBOARD < dashboard.json',
      ],
    },
  );
  add(
    group,
    'delete <dashboard_id> [token]',
    'Delete a dashboard, its versions and its shares',
    async (call) => {
      const request = of('dashboard_id')(call);
      const { name: called } = await viewed(call);
      await askFirst(call, 'remove', `the dashboard "${called}"`, () =>
        call.ask('deleteDashboard', request),
      );
    },
    { removes: true },
  );
}

/** Dashboards as they were. */
function addVersions(group: Command, add: Add): void {
  const versions = add(
    group,
    'versions <dashboard_id> [token]',
    'List the versions of a dashboard: who saved it, and when',
    show('listDashboardVersions', of('dashboard_id')),
  );
  add(
    versions,
    'get <dashboard_id> <version> [token]',
    'Show a version of a dashboard',
    show('viewDashboardVersion', versionIn),
    { examples: ['dashboards versions get $DASHBOARD 1'] },
  );
  add(
    versions,
    'restore <dashboard_id> <version> [token]',
    'Make a dashboard again what it was',
    async (call) => {
      const {
        name: called,
        description: says,
        content,
      } = await call.ask('viewDashboardVersion', versionIn(call));
      const { version } = await viewed(call);
      const body = { version, name: called, description: says, content };
      await call.ask('updateDashboard', { ...of('dashboard_id')(call), body });
      await call.output.ok();
    },
    { examples: ['dashboards versions restore $DASHBOARD 1'] },
  );
}

function versionIn(call: Call) {
  const version = call.text('version');
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new UsageError('version is not a whole number from 1');
  return { path: { id: call.id('dashboard_id'), version } };
}

const newShare: Fields<NewDashboardShare> = {
  name: text('--name <text>', 'whom it is for'),
  expires_at: timeAhead('--expires <time>', 'when it ends: a time, or how long from now: 30d'),
};

/** Links by which people without an account see a dashboard. */
function addShares(group: Command, add: Add): void {
  const shares = add(
    group,
    'shares <dashboard_id> [token]',
    'List the shares of a dashboard',
    show('listDashboardShares', of('dashboard_id')),
  );
  add(
    shares,
    'create <JSON> <dashboard_id> [token]',
    'Share a dashboard with people who have no account; shows the token, this once',
    show('createDashboardShare', (call) => ({
      ...of('dashboard_id')(call),
      body: call.object('JSON', having<NewDashboardShare>('name', 'expires_at')),
    })),
    {
      fields: newShare,
      examples: ['dashboards shares create $DASHBOARD --name landlord --expires 30d'],
    },
  );
  add(
    shares,
    'revoke <share_id> [token]',
    'End a share now',
    async (call) => {
      const request = of('share_id')(call);
      await askFirst(call, 'revoke', 'the share', () => call.ask('deleteDashboardShare', request));
    },
    { removes: true },
  );
}
