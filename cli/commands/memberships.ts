import type { Command } from 'commander';
import { having } from '../../schemas/client/shape.ts';
import { email, type Fields, role, text } from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { counted } from '../terminal/progress.ts';
import { change, of, show } from './ordinary.ts';

type OrgMember = { email: string; role: 'admin' | 'editor' | 'viewer' };
const orgMember: Fields<OrgMember> = { email, role };

type GroupMember = { member_id: string; role: 'admin' | 'editor' | 'viewer' };
const groupMember: Fields<GroupMember> = {
  member_id: text('--member <user_id>', 'the user; "millrace users get all" lists them'),
  role,
};

const uses = [...pageFlags, 'email'];

/** The members of a place, on a page, or those with an e-mail. */
const membersOf = (id: string) => (call: Call) => ({
  ...of(id)(call),
  query: { ...call.settings.page, email: call.settings.email },
});

export const addOrgMemberships: AddCommands = (group, add) => {
  const given = (call: Call) => ({
    body: {
      org_memberships: call.list('JSON', having<OrgMember>('email', 'role'), 'org_memberships'),
    },
    ...of('org_id')(call),
  });
  const ofOrg = { fields: orgMember, parent: { argument: 'org_id', flags: '--org <id>' } };
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Make registered users members of an org',
    change('addOrgMembers', given),
    {
      ...ofOrg,
      examples: [
        'org_memberships create --email ann@example.com --role viewer --org $ORG',
        `org_memberships create '[{"email":"bob@example.com","role":"viewer"}]' $ORG`,
      ],
    },
  );
  const get = add(
    group,
    'get <member_id> <org_id> [token]',
    'Show one membership, or list them',
    show('viewOrgMember', (call) => ({
      path: { id: call.id('org_id'), memberId: call.id('member_id') },
    })),
  );
  const list = show('listOrgMembers', membersOf('org_id'));
  add(get, 'all <org_id> [token]', 'List the memberships of an org', list, { uses });
  add(
    group,
    'update <JSON> <org_id> [token]',
    'Change roles of members',
    change('changeOrgRoles', given),
    {
      ...ofOrg,
      examples: ['org_memberships update --email ann@example.com --role editor --org $ORG'],
    },
  );
  addDelete(group, add, 'org', 'removeOrgMembers');
};

export const addGroupMemberships: AddCommands = (group, add) => {
  const given = (call: Call) => ({
    body: {
      group_memberships: call.list(
        'JSON',
        having<GroupMember>('member_id', 'role'),
        'group_memberships',
      ),
    },
    ...of('group_id')(call),
  });
  const ofGroup = { fields: groupMember, parent: { argument: 'group_id', flags: '--group <id>' } };
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Make registered users members of a group',
    change('addGroupMembers', given),
    {
      ...ofGroup,
      examples: [
        'group_memberships create --member $USER_ID --role viewer --group $GROUP',
        `group_memberships create '[{"member_id":"'$OTHER_ID'","role":"viewer"}]' $GROUP`,
      ],
    },
  );
  const list = show('listGroupMembers', membersOf('group_id'));
  const about = 'List the memberships of a group';
  const get = add(group, 'get <group_id> [token]', about, list, { uses });
  add(get, 'all <group_id> [token]', about, list, { uses });
  add(
    group,
    'update <JSON> <group_id> [token]',
    'Change roles of members',
    change('changeGroupRoles', given),
    {
      ...ofGroup,
      examples: ['group_memberships update --member $USER_ID --role editor --group $GROUP'],
    },
  );
  addDelete(group, add, 'group', 'removeGroupMembers');
};

function addDelete(
  group: Command,
  add: Add,
  place: 'org' | 'group',
  name: 'removeOrgMembers' | 'removeGroupMembers',
): void {
  const id = `${place}_id`;
  add(
    group,
    `delete <JSON|member_id> <${id}> [token]`,
    `Remove a member from ${place === 'org' ? 'an org' : 'a group'}, or a list of them: '["<member_id>"]'`,
    async (call) => {
      const ids = call.idOrIds('JSON|member_id');
      const { path } = of(id)(call);
      const view = place === 'org' ? 'viewOrg' : 'viewGroup';
      const { name: known } = await call.ask(view, { path });
      const what = `${counted(ids.length, 'member')} from the ${place} "${known}"`;
      const request = { path, body: { member_ids: ids } };
      await askFirst(call, 'remove', what, () => call.ask(name, request));
    },
    {
      removes: true,
      examples: [`${place}_memberships delete $USER_ID $${place.toUpperCase()}`],
    },
  );
}
