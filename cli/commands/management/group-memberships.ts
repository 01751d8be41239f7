import { having } from '../../../schemas/client/shape.ts';
import { type Fields, role, text } from '../../input/fields.ts';
import { pageFlags } from '../../input/flags.ts';
import type { Call } from '../../invocation/call.ts';
import type { AddCommands } from '../../invocation/command.ts';
import { addCreate, addUpdateAndDelete, type Place } from './memberships.ts';

type Member = { member_id: string; role: 'admin' | 'editor' | 'viewer' };
const fields: Fields<Member> = {
  member_id: text('--member <user_id>', 'the user; "millrace users get all" lists them'),
  role,
};

const place: Place<Member> = {
  name: 'group',
  members: (call) => call.as(call.settings.urls.things).groups,
  fields,
  shape: having<Member>('member_id', 'role'),
  examples: {
    create: [
      'group_memberships create --member $USER_ID --role viewer --group $GROUP',
      `group_memberships create '[{"member_id":"'$OTHER_ID'","role":"viewer"}]' $GROUP`,
    ],
    update: ['group_memberships update --member $USER_ID --role editor --group $GROUP'],
  },
};

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add, place);

  const list = async (call: Call) => {
    const { urls, page, email } = call.settings;
    const { groups } = call.as(urls.things);
    await call.output.show(await groups.listMembers(call.id('group_id'), { ...page, email }));
  };
  const uses = [...pageFlags, 'email'];
  const about = 'List the memberships of a group';
  const get = add(group, 'get <group_id> [token]', about, list, { uses });
  add(get, 'all <group_id> [token]', about, list, { uses });

  addUpdateAndDelete(group, add, place);
};
