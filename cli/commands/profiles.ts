import { having } from '../client/shape.ts';
import type { NewProfile, ProfileChange } from '../client/openapi.ts';
import type { Call } from '../call.ts';
import type { ProfilesOf } from '../client/profiles.ts';
import type { AddCommands } from '../command.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Create a profile, or a list of them, in a group',
    async (call) => {
      const { profiles } = call.as(call.settings.urls.things);
      const made = await profiles.create(
        call.id('group_id'),
        call.list('JSON', having<NewProfile>('name'), 'profiles'),
      );
      await call.output.created(
        made.map(({ id }) => id),
        made.length === 1 ? made[0] : { profiles: made },
      );
    },
  );

  const view = async (call: Call) => {
    const { profiles } = call.as(call.settings.urls.things);
    await call.output.show(await profiles.view(call.id('profile_id')));
  };
  const list = async (call: Call, of: ProfilesOf) => {
    const { urls, page, named } = call.settings;
    await call.output.show(await call.as(urls.things).profiles.list(of, { ...page, ...named }));
  };
  const get = add(group, 'get <profile_id> [token]', 'Show one profile, or list them', view);
  add(get, 'all [token]', 'List all profiles', (call) => list(call, 'all'));
  add(get, 'by-id <profile_id> [token]', 'Show one profile', view);
  add(get, 'by-thing <thing_id> [token]', 'Show the profile of a thing', async (call) => {
    const { profiles } = call.as(call.settings.urls.things);
    await call.output.show(await profiles.ofThing(call.id('thing_id')));
  });
  add(get, 'by-group <group_id> [token]', 'List the profiles of a group', (call) =>
    list(call, { group: call.id('group_id') }),
  );
  add(get, 'by-org <org_id> [token]', 'List the profiles of an org', (call) =>
    list(call, { org: call.id('org_id') }),
  );

  const search = async (call: Call, of: ProfilesOf) => {
    const { profiles } = call.as(call.settings.urls.things);
    await call.output.show(await profiles.search(of, call.object('JSON', having<object>())));
  };
  const found = add(group, 'search <JSON> [token]', 'Search: \'{"name": "…"}\'', (call) =>
    search(call, 'all'),
  );
  add(found, 'by-group <JSON> <group_id> [token]', 'Search in a group', (call) =>
    search(call, { group: call.id('group_id') }),
  );
  add(found, 'by-org <JSON> <org_id> [token]', 'Search in an org', (call) =>
    search(call, { org: call.id('org_id') }),
  );

  add(group, 'update <JSON> <profile_id> [token]', 'Change a profile', async (call) => {
    const { profiles } = call.as(call.settings.urls.things);
    await profiles.update(call.id('profile_id'), call.object('JSON', having<ProfileChange>()));
    await call.output.ok();
  });
  add(group, 'delete <profile_id> [token]', 'Delete a profile that no thing has', async (call) => {
    await call.as(call.settings.urls.things).profiles.delete(call.id('profile_id'));
    await call.output.ok();
  });
};
