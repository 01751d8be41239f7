import { having } from '../client/shape.ts';
import type { AddCommands } from '../command.ts';

const memberShape = having<{ member_id: string; role: 'admin' | 'editor' | 'viewer' }>(
  'member_id',
  'role',
);
const listMember = 'group_memberships';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Make users members: \'[{"member_id": "…", "role": "viewer"}]\'',
    async (call) => {
      const { groups } = call.as(call.settings.urls.things);
      await groups.addMembers(call.id('group_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
  );

  const get = add(
    group,
    'get <group_id> [token]',
    'List the memberships of a group',
    async (call) => {
      const { urls, page, email } = call.settings;
      const { groups } = call.as(urls.things);
      await call.output.show(await groups.listMembers(call.id('group_id'), { ...page, email }));
    },
  );
  add(get, 'all <group_id> [token]', 'List the memberships of a group', async (call) => {
    const { urls, page, email } = call.settings;
    const { groups } = call.as(urls.things);
    await call.output.show(await groups.listMembers(call.id('group_id'), { ...page, email }));
  });

  add(
    group,
    'update <JSON> <group_id> [token]',
    'Change roles: \'[{"member_id": "…", "role": "editor"}]\'',
    async (call) => {
      const { groups } = call.as(call.settings.urls.things);
      await groups.changeRoles(call.id('group_id'), call.list('JSON', memberShape, listMember));
      await call.output.ok();
    },
  );
  add(
    group,
    'delete <JSON> <group_id> [token]',
    'Remove members: \'["<member_id>"]\'',
    async (call) => {
      const { groups } = call.as(call.settings.urls.things);
      await groups.removeMembers(call.id('group_id'), call.ids('JSON'));
      await call.output.ok();
    },
  );
};
