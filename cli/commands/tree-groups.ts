import type { Command } from 'commander';
import type {
  NewTreeGroup,
  Requests,
  TreeGroupChange,
} from '../../schemas/client/generated/types.ts';
import { having } from '../../schemas/client/shape.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import {
  description,
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
  texts,
} from '../input/fields.ts';
import { askFirst } from '../invocation/removal.ts';
import { counted } from '../terminal/progress.ts';
import { pageFlags } from '../input/flags.ts';
import { UsageError } from '../input/usage.ts';
import { change, changed, listed, make, of, pageOf, show } from './ordinary.ts';

const newGroup: Fields<NewTreeGroup> = {
  name,
  description,
  parent_id: text('--parent <tree_group_id>', 'the group over it (without: a root)'),
  metadata,
};
const groupChange: Fields<TreeGroupChange> = { name, description, metadata };
const filters: ListFilters<'listTreeGroupsOfMember'> = namedFilters;

type NewMembers = Requests['addTreeMembers']['body'];
const newMembers: Fields<NewMembers> = {
  members: texts('--members <ids>', 'ids of users, things, or of another system, between commas'),
  type: text('--type <type>', 'users or things'),
};

const ofGroup = of('tree_group_id');

/** Hierarchical groups; `groups` are those of orgs. */
export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> [token]',
    'Create a hierarchical group: a root, or under a parent',
    make('createTreeGroup', (call) => ({
      body: call.object('JSON', having<NewTreeGroup>('name')),
    })),
    {
      fields: newGroup,
      examples: [
        'tree_groups create --name Europe',
        `tree_groups create '{"name":"Poland","parent_id":"'$NODE'"}'`,
      ],
    },
  );
  add(group, 'get <tree_group_id> [token]', 'Show one', show('viewTreeGroup', ofGroup));
  addLines(group, add);
  add(
    group,
    'by-member <member_id> [token]',
    'List those that a user, a thing or another id is in',
    show('listTreeGroupsOfMember', (call) => ({
      path: { id: call.text('member_id') },
      ...listed(call),
    })),
    { fields: filters, uses: pageFlags, examples: ['tree_groups by-member $THING'] },
  );
  add(
    group,
    'update <JSON> <tree_group_id> [token]',
    'Change one',
    change('updateTreeGroup', changed('tree_group_id')),
    { fields: groupChange, examples: ['tree_groups update $NODE --name Silesia'] },
  );
  addDelete(group, add);
  addAssignAndUnassign(group, add);
  for (const [kind, operation, about] of [
    ['members', 'listTreeMembers', 'List the ids of its members'],
    ['users', 'listTreeUsers', 'List its members that are users'],
    ['things', 'listTreeThings', 'List its members that are things'],
  ] as const) {
    const list = show(operation, pageOf('tree_group_id'));
    add(group, `${kind} <tree_group_id> [token]`, about, list, { uses: pageFlags });
  }
};

function addLines(group: Command, add: Add): void {
  for (const [line, operation, about] of [
    ['parents', 'listTreeParents', 'Show it and what is over it'],
    ['children', 'listTreeChildren', 'Show it and what is under it'],
  ] as const) {
    add(
      group,
      `${line} <tree_group_id> [token]`,
      about,
      show(operation, (call) => ({
        ...ofGroup(call),
        query: { ...call.settings.page, ...levelOf(call), tree: call.isOn('tree') },
      })),
      { examples: [`tree_groups ${line} $NODE --level 5`], uses: pageFlags },
    )
      .option('--level <n>', 'how far: 1 to 5 (without: 1)')
      .option('--tree', 'nested, for JSON');
  }
}

function addDelete(group: Command, add: Add): void {
  add(
    group,
    'delete <tree_group_id> [token]',
    'Delete one and all under it, if they have no members',
    async (call) => {
      const what = await describeTreeGroup(call, call.id('tree_group_id'));
      await askFirst(call, 'remove', what, () => call.ask('deleteTreeGroup', ofGroup(call)));
    },
    { removes: true },
  );
}

function addAssignAndUnassign(group: Command, add: Add): void {
  add(
    group,
    'assign <JSON> <tree_group_id> [token]',
    'Add members',
    change('addTreeMembers', (call) => ({
      body: call.object('JSON', having<NewMembers>('members', 'type')),
      ...ofGroup(call),
    })),
    {
      fields: newMembers,
      examples: [
        'tree_groups assign $NODE --members $THING --type things',
        `tree_groups assign '{"members":["'$USER_ID'"],"type":"users"}' $NODE`,
      ],
    },
  );
  add(
    group,
    'unassign <JSON> <tree_group_id> [token]',
    'Remove members; they themselves stay',
    async (call) => {
      const { members } = call.object('JSON', having<{ members: string[] }>('members'));
      const what = `${counted(members.length, 'member')} from a hierarchical group`;
      const request = { ...ofGroup(call), body: { members } };
      await askFirst(call, 'remove', what, () => call.ask('removeTreeMembers', request));
    },
    {
      fields: { members: newMembers.members },
      examples: ['tree_groups unassign $NODE --members $THING --yes'],
      removes: true,
    },
  );
}

function levelOf(call: Call): { level?: number } {
  const given = call.flag('level');
  if (given === undefined) return {};
  if (/^[1-5]$/.test(given)) return { level: Number(given) };
  throw new UsageError('--level is 1 to 5');
}

/** A hierarchical group with all that is deleted with it, in words. */
async function describeTreeGroup(call: Call, id: string): Promise<string> {
  const [group, line] = await Promise.all([
    call.ask('viewTreeGroup', { path: { id } }),
    call.ask('listTreeChildren', { path: { id }, query: { limit: 1 } }),
  ]);
  return `the hierarchical group "${group.name}" with ${counted(line.total - 1, 'group')} under it`;
}
