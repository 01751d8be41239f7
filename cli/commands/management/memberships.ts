import type { Command } from 'commander';
import type { Shape } from '../../../schemas/client/shape.ts';
import type { AnyFields } from '../../input/fields.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add } from '../../invocation/command.ts';
import { counted, takeAway } from '../../invocation/removal.ts';

/** The requests that the client has for members, of orgs and of groups. */
type Members<Member> = {
  view(id: string): Promise<{ id: string; name: string }>;
  addMembers(id: string, members: Member[]): Promise<void>;
  changeRoles(id: string, members: Member[]): Promise<void>;
  removeMembers(id: string, memberIds: string[]): Promise<void>;
};

/** What differs between memberships of orgs and of groups. */
export type Place<Member extends object> = {
  name: 'org' | 'group';
  members: (call: Call) => Members<Member>;
  fields: AnyFields;
  shape: Shape<Member>;
  examples: { create: readonly string[]; update: readonly string[] };
};

const words = {
  org: { id: 'org_id', list: 'org_memberships', one: 'an org', flags: '--org <id>' },
  group: { id: 'group_id', list: 'group_memberships', one: 'a group', flags: '--group <id>' },
} as const;

export function addCreate<Member extends object>(
  group: Command,
  add: Add,
  { name, members, fields, shape, examples }: Place<Member>,
): void {
  const { id, list, one, flags } = words[name];
  add(
    group,
    `create <JSON> <${id}> [token]`,
    `Make registered users members of ${one}`,
    async (call) => {
      await members(call).addMembers(call.id(id), call.list('JSON', shape, list));
      await call.output.ok();
    },
    { fields, parent: { argument: id, flags }, examples: examples.create },
  );
}

export function addUpdateAndDelete<Member extends object>(
  group: Command,
  add: Add,
  { name, members, fields, shape, examples }: Place<Member>,
): void {
  const { id, list, one, flags } = words[name];
  add(
    group,
    `update <JSON> <${id}> [token]`,
    'Change roles of members',
    async (call) => {
      await members(call).changeRoles(call.id(id), call.list('JSON', shape, list));
      await call.output.ok();
    },
    { fields, parent: { argument: id, flags }, examples: examples.update },
  );
  add(
    group,
    `delete <JSON|member_id> <${id}> [token]`,
    `Remove a member from ${one}, or a list of them: '["<member_id>"]'`,
    async (call) => {
      const ids = call.idOrIds('JSON|member_id');
      const resource = members(call);
      const of = await resource.view(call.id(id));
      const what = `${counted(ids.length, 'member')} from the ${name} "${of.name}"`;
      await takeAway(call, 'remove', what, () => resource.removeMembers(of.id, ids));
    },
    { removes: true, examples: [`${list} delete $USER_ID $${name.toUpperCase()}`] },
  );
}
