import { having } from '../client/shape.ts';
import type { AddCommands } from '../command.ts';
import type { GroupChange, NewGroup } from '../client/openapi.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Create a group, or a list of them, in an org',
    async (call) => {
      const { groups } = call.as(call.settings.urls.things);
      const given = call.list('JSON', having<NewGroup>('name'));
      const orgId = call.id('org_id');
      const [first] = given;
      if (given.length === 1 && first !== undefined) {
        await call.output.created([await groups.create(orgId, first)]);
      } else {
        const made = await groups.createAll(orgId, given);
        await call.output.created(
          made.map(({ id }) => id),
          { groups: made },
        );
      }
    },
  );

  const get = add(group, 'get <group_id> [token]', 'Show one group, or list them', async (call) => {
    await call.output.show(
      await call.as(call.settings.urls.things).groups.view(call.id('group_id')),
    );
  });
  add(get, 'all [token]', 'List all groups', async (call) => {
    const { urls, page, named } = call.settings;
    await call.output.show(await call.as(urls.things).groups.list({ ...page, ...named }));
  });
  add(get, 'by-id <group_id> [token]', 'Show one group', async (call) => {
    await call.output.show(
      await call.as(call.settings.urls.things).groups.view(call.id('group_id')),
    );
  });
  add(get, 'by-org <org_id> [token]', 'List the groups of an org', async (call) => {
    const { urls, page, named } = call.settings;
    const { groups } = call.as(urls.things);
    await call.output.show(await groups.listOfOrg(call.id('org_id'), { ...page, ...named }));
  });
  add(get, 'by-thing <thing_id> [token]', 'Show the group of a thing', async (call) => {
    await call.output.show(
      await call.as(call.settings.urls.things).groups.ofThing(call.id('thing_id')),
    );
  });
  add(get, 'by-profile <profile_id> [token]', 'Show the group of a profile', async (call) => {
    const { groups } = call.as(call.settings.urls.things);
    await call.output.show(await groups.ofProfile(call.id('profile_id')));
  });

  add(group, 'update <JSON> <group_id> [token]', 'Change a group', async (call) => {
    await call
      .as(call.settings.urls.things)
      .groups.update(call.id('group_id'), call.object('JSON', having<GroupChange>()));
    await call.output.ok();
  });
  add(group, 'delete <group_id> [token]', 'Delete a group and all that is in it', async (call) => {
    await call.as(call.settings.urls.things).groups.delete(call.id('group_id'));
    await call.output.ok();
  });

  add(group, 'things <group_id> [token]', 'List the things of a group', async (call) => {
    const { urls, page, named } = call.settings;
    const of = { group: call.id('group_id') };
    await call.output.show(await call.as(urls.things).things.list(of, { ...page, ...named }));
  });
  add(group, 'thing <thing_id> [token]', 'Show the group of a thing', async (call) => {
    await call.output.show(
      await call.as(call.settings.urls.things).groups.ofThing(call.id('thing_id')),
    );
  });
  add(group, 'profiles <group_id> [token]', 'List the profiles of a group', async (call) => {
    const { urls, page, named } = call.settings;
    const of = { group: call.id('group_id') };
    await call.output.show(await call.as(urls.things).profiles.list(of, { ...page, ...named }));
  });
  add(group, 'profile <profile_id> [token]', 'Show the group of a profile', async (call) => {
    const { groups } = call.as(call.settings.urls.things);
    await call.output.show(await groups.ofProfile(call.id('profile_id')));
  });
};
