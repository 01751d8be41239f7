import type { Command } from 'commander';
import type { NewTreeGroup, TreeGroupChange } from '../../../schemas/client/generated/types.ts';
import type { MemberType } from '../../../schemas/client/resources/tree.ts';
import { having } from '../../../schemas/client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import {
  description,
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
  texts,
} from '../../input/fields.ts';
import { counted, describeTreeGroup, takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/flags.ts';
import { UsageError } from '../../input/usage.ts';

const newGroup: Fields<NewTreeGroup> = {
  name,
  description,
  parent_id: text('--parent <tree_group_id>', 'the group over it (without: a root)'),
  metadata,
};
const groupChange: Fields<TreeGroupChange> = { name, description, metadata };
const filters: ListFilters<'listTreeGroupsOfMember'> = namedFilters;

type Members = { members: string[]; type: MemberType };
const newMembers: Fields<Members> = {
  members: texts('--members <ids>', 'ids of users, things, or of another system, between commas'),
  type: text('--type <type>', 'users or things'),
};

/** Hierarchical groups; `groups` are those of orgs. */
export const addCommands: AddCommands = (group, add) => {
  addCreateAndGet(group, add);
  addByMemberUpdateAndDelete(group, add);
  addAssignAndUnassign(group, add);
  addMembers(group, add);
};

function addCreateAndGet(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> [token]',
    'Create a hierarchical group: a root, or under a parent',
    async (call) => {
      const { tree } = call.as(call.settings.urls.auth);
      const given = call.object('JSON', having<NewTreeGroup>('name'));
      await call.output.created([await tree.create(given)]);
    },
    {
      fields: newGroup,
      examples: [
        'tree_groups create --name Europe',
        `tree_groups create '{"name":"Poland","parent_id":"'$NODE'"}'`,
      ],
    },
  );
  add(group, 'get <tree_group_id> [token]', 'Show one', async (call) => {
    const { tree } = call.as(call.settings.urls.auth);
    await call.output.show(await tree.view(call.id('tree_group_id')));
  });
  for (const [line, about] of [
    ['parents', 'Show it and what is over it'],
    ['children', 'Show it and what is under it'],
  ] as const) {
    add(
      group,
      `${line} <tree_group_id> [token]`,
      about,
      async (call) => {
        const { tree } = call.as(call.settings.urls.auth);
        const query = { ...call.settings.page, ...levelOf(call), tree: call.isOn('tree') };
        await call.output.show(await tree[line](call.id('tree_group_id'), query));
      },
      { examples: [`tree_groups ${line} $NODE --level 5`], uses: pageFlags },
    )
      .option('--level <n>', 'how far: 1 to 5 (without: 1)')
      .option('--tree', 'nested, for JSON');
  }
}

function addByMemberUpdateAndDelete(group: Command, add: Add): void {
  add(
    group,
    'by-member <member_id> [token]',
    'List those that a user, a thing or another id is in',
    async (call) => {
      const { tree } = call.as(call.settings.urls.auth);
      await call.output.show(await tree.ofMember(call.text('member_id'), call.query()));
    },
    { fields: filters, uses: pageFlags, examples: ['tree_groups by-member $THING'] },
  );
  add(
    group,
    'update <JSON> <tree_group_id> [token]',
    'Change one',
    async (call) => {
      const change = call.object('JSON', having<TreeGroupChange>());
      await call.as(call.settings.urls.auth).tree.update(call.id('tree_group_id'), change);
      await call.output.ok();
    },
    { fields: groupChange, examples: ['tree_groups update $NODE --name Silesia'] },
  );
  add(
    group,
    'delete <tree_group_id> [token]',
    'Delete one and all under it, if they have no members',
    async (call) => {
      const client = call.as(call.settings.urls.auth);
      const id = call.id('tree_group_id');
      const what = await describeTreeGroup(client, id);
      await takeAway(call, 'remove', what, () => client.tree.delete(id));
    },
    { removes: true },
  );
}

function addAssignAndUnassign(group: Command, add: Add): void {
  add(
    group,
    'assign <JSON> <tree_group_id> [token]',
    'Add members',
    async (call) => {
      const { members, type } = call.object('JSON', having<Members>('members', 'type'));
      const { tree } = call.as(call.settings.urls.auth);
      await tree.addMembers(call.id('tree_group_id'), type, members);
      await call.output.ok();
    },
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
      const { tree } = call.as(call.settings.urls.auth);
      const what = `${counted(members.length, 'member')} from a hierarchical group`;
      await takeAway(call, 'remove', what, () =>
        tree.removeMembers(call.id('tree_group_id'), members),
      );
    },
    {
      fields: { members: newMembers.members },
      examples: ['tree_groups unassign $NODE --members $THING --yes'],
      removes: true,
    },
  );
}

function addMembers(group: Command, add: Add): void {
  for (const [kind, about] of [
    ['members', 'List the ids of its members'],
    ['users', 'List its members that are users'],
    ['things', 'List its members that are things'],
  ] as const) {
    add(
      group,
      `${kind} <tree_group_id> [token]`,
      about,
      async (call) => {
        const { urls, page } = call.settings;
        await call.output.show(await call.as(urls.auth).tree[kind](call.id('tree_group_id'), page));
      },
      { uses: pageFlags },
    );
  }
}

function levelOf(call: Call): { level?: number } {
  const given = call.flag('level');
  if (given === undefined) return {};
  if (/^[1-5]$/.test(given)) return { level: Number(given) };
  throw new UsageError('--level is 1 to 5');
}
