import { having } from '../../client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { AddCommands } from '../../invocation/command.ts';
import { type Fields, role, text } from '../../input/fields.ts';
import { counted, takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/settings.ts';

type Member = { member_id: string; role: 'admin' | 'editor' | 'viewer' };
const member: Fields<Member> = {
  member_id: text('--member <user_id>', 'the user; "millrace users get all" lists them'),
  role,
};
const memberShape = having<Member>('member_id', 'role');
const listMember = 'group_memberships';
const ofGroup = { argument: 'group_id', flags: '--group <id>' };

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Make registered users members of a group',
    async (call) => {
      const { groups } = call.as(call.settings.urls.things);
      await groups.addMembers(call.id('group_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
    {
      fields: member,
      parent: ofGroup,
      examples: [
        'group_memberships create --member $USER_ID --role viewer --group $GROUP',
        `group_memberships create '[{"member_id":"'$OTHER_ID'","role":"viewer"}]' $GROUP`,
      ],
    },
  );

  const list = async (call: Call) => {
    const { urls, page, email } = call.settings;
    const { groups } = call.as(urls.things);
    await call.output.show(await groups.listMembers(call.id('group_id'), { ...page, email }));
  };
  const uses = [...pageFlags, 'email'];
  const about = 'List the memberships of a group';
  const get = add(group, 'get <group_id> [token]', about, list, { uses });
  add(get, 'all <group_id> [token]', about, list, { uses });

  add(
    group,
    'update <JSON> <group_id> [token]',
    'Change roles of members',
    async (call) => {
      const { groups } = call.as(call.settings.urls.things);
      await groups.changeRoles(call.id('group_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
    {
      fields: member,
      parent: ofGroup,
      examples: ['group_memberships update --member $USER_ID --role editor --group $GROUP'],
    },
  );
  add(
    group,
    'delete <JSON|member_id> <group_id> [token]',
    'Remove a member from a group, or a list of them: \'["<member_id>"]\'',
    async (call) => {
      const ids = call.idOrIds('JSON|member_id');
      const { groups } = call.as(call.settings.urls.things);
      const of = await groups.view(call.id('group_id'));
      const what = `${counted(ids.length, 'member')} from the group "${of.name}"`;
      await takeAway(call, 'remove', what, () => groups.removeMembers(of.id, ids));
    },
    { removes: true, examples: ['group_memberships delete $USER_ID $GROUP'] },
  );
};
