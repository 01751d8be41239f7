import { having } from '../../../schemas/client/shape.ts';
import { email, type Fields, role } from '../../input/fields.ts';
import { pageFlags } from '../../input/flags.ts';
import type { AddCommands } from '../../invocation/command.ts';
import { addCreate, addUpdateAndDelete, type Place } from './memberships.ts';

type Member = { email: string; role: 'admin' | 'editor' | 'viewer' };
const fields: Fields<Member> = { email, role };

const place: Place<Member> = {
  name: 'org',
  members: (call) => call.as(call.settings.urls.auth).orgs,
  fields,
  shape: having<Member>('email', 'role'),
  examples: {
    create: [
      'org_memberships create --email ann@example.com --role viewer --org $ORG',
      `org_memberships create '[{"email":"bob@example.com","role":"viewer"}]' $ORG`,
    ],
    update: ['org_memberships update --email ann@example.com --role editor --org $ORG'],
  },
};

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add, place);

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
    async (call) => {
      const { urls, page, email: of } = call.settings;
      const { orgs } = call.as(urls.auth);
      await call.output.show(await orgs.listMembers(call.id('org_id'), { ...page, email: of }));
    },
    { uses: [...pageFlags, 'email'] },
  );

  addUpdateAndDelete(group, add, place);
};
