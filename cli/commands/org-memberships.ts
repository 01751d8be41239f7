import { having } from '../client/shape.ts';
import type { AddCommands } from '../command.ts';

const memberShape = having<{ email: string; role: 'admin' | 'editor' | 'viewer' }>('email', 'role');
const listMember = 'org_memberships';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Make users members: \'[{"email": "…", "role": "viewer"}]\'',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await orgs.addMembers(call.id('org_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
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
  add(get, 'all <org_id> [token]', 'List the memberships of an org', async (call) => {
    const { urls, page, email } = call.settings;
    const { orgs } = call.as(urls.auth);
    await call.output.show(await orgs.listMembers(call.id('org_id'), { ...page, email }));
  });

  add(
    group,
    'update <JSON> <org_id> [token]',
    'Change roles: \'[{"email": "…", "role": "editor"}]\'',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await orgs.changeRoles(call.id('org_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
  );
  add(
    group,
    'delete <JSON> <org_id> [token]',
    'Remove members: \'["<member_id>"]\'',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await orgs.removeMembers(call.id('org_id'), call.ids('JSON'));
      await call.output.ok();
    },
  );
};
