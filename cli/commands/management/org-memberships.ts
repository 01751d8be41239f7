import { having } from '../../client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { AddCommands } from '../../invocation/command.ts';
import { email, type Fields, role } from '../../input/fields.ts';
import { counted, takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/settings.ts';

type Member = { email: string; role: 'admin' | 'editor' | 'viewer' };
const member: Fields<Member> = { email, role };
const memberShape = having<Member>('email', 'role');
const listMember = 'org_memberships';
const ofOrg = { argument: 'org_id', flags: '--org <id>' };

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Make registered users members of an org',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await orgs.addMembers(call.id('org_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
    {
      fields: member,
      parent: ofOrg,
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
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await call.output.show(await orgs.viewMember(call.id('org_id'), call.id('member_id')));
    },
  );
  add(
    get,
    'all <org_id> [token]',
    'List the memberships of an org',
    async (call: Call) => {
      const { urls, page, email: of } = call.settings;
      const { orgs } = call.as(urls.auth);
      await call.output.show(await orgs.listMembers(call.id('org_id'), { ...page, email: of }));
    },
    { uses: [...pageFlags, 'email'] },
  );

  add(
    group,
    'update <JSON> <org_id> [token]',
    'Change roles of members',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await orgs.changeRoles(call.id('org_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
    {
      fields: member,
      parent: ofOrg,
      examples: ['org_memberships update --email ann@example.com --role editor --org $ORG'],
    },
  );
  add(
    group,
    'delete <JSON|member_id> <org_id> [token]',
    'Remove a member from an org, or a list of them: \'["<member_id>"]\'',
    async (call) => {
      const ids = call.idOrIds('JSON|member_id');
      const { orgs } = call.as(call.settings.urls.auth);
      const org = await orgs.view(call.id('org_id'));
      const what = `${counted(ids.length, 'member')} from the org "${org.name}"`;
      await takeAway(call, 'remove', what, () => orgs.removeMembers(org.id, ids));
    },
    { removes: true, examples: ['org_memberships delete $USER_ID $ORG'] },
  );
};
