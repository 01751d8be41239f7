import { having } from '../client/shape.ts';
import type { NewProfile, ProfileChange } from '../client/openapi.ts';
import type { Call } from '../call.ts';
import type { ProfilesOf } from '../client/profiles.ts';
import type { AddCommands } from '../command.ts';
import { type Fields, json, metadata, name, text } from '../fields.ts';
import { nameOrCount } from '../removal.ts';
import { listFlags, pageFlags } from '../settings.ts';

const profileChange: Fields<ProfileChange> = {
  name,
  config: json(
    '--config <json>',
    'how messages are read: content_type, write, and transformer (data_filters, data_field, time_field, time_format, time_location)',
  ),
  metadata,
};
const newProfile: Fields<NewProfile> = {
  ...profileChange,
  id: text('--id <uuid>', 'its id, if it must have a certain one'),
};
const inGroup = { argument: 'group_id', flags: '--group <id>' };
/** What a search looks at. */
const search = { name, metadata };

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
    {
      fields: newProfile,
      parent: inGroup,
      examples: [
        'profiles create --name Sensors --group $GROUP',
        `profiles create --name Meters --group $GROUP --config '{"transformer":{"time_field":"ts","time_format":"unix"}}'`,
        `profiles create '{"name":"Valves"}' $GROUP`,
      ],
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
  const uses = listFlags;
  const get = add(group, 'get <profile_id> [token]', 'Show one profile, or list them', view);
  add(get, 'all [token]', 'List all profiles', (call) => list(call, 'all'), { uses });
  add(get, 'by-id <profile_id> [token]', 'Show one profile', view);
  add(get, 'by-thing <thing_id> [token]', 'Show the profile of a thing', async (call) => {
    const { profiles } = call.as(call.settings.urls.things);
    await call.output.show(await profiles.ofThing(call.id('thing_id')));
  });
  add(
    get,
    'by-group <group_id> [token]',
    'List the profiles of a group',
    (call) => list(call, { group: call.id('group_id') }),
    { uses },
  );
  add(
    get,
    'by-org <org_id> [token]',
    'List the profiles of an org',
    (call) => list(call, { org: call.id('org_id') }),
    { uses },
  );

  const find = async (call: Call, of: ProfilesOf) => {
    const { profiles } = call.as(call.settings.urls.things);
    const asked = call.search('JSON');
    await call.output.show(await profiles.search(of, asked));
  };
  const found = add(
    group,
    'search <JSON> [token]',
    'Search all profiles',
    (call) => find(call, 'all'),
    { fields: search, uses: pageFlags, examples: ['profiles search --name sens'] },
  );
  add(
    found,
    'by-group <JSON> <group_id> [token]',
    'Search in a group',
    (call) => find(call, { group: call.id('group_id') }),
    {
      fields: search,
      parent: inGroup,
      uses: pageFlags,
      examples: ['profiles search by-group --name sens --group $GROUP'],
    },
  );
  add(
    found,
    'by-org <JSON> <org_id> [token]',
    'Search in an org',
    (call) => find(call, { org: call.id('org_id') }),
    {
      fields: search,
      parent: { argument: 'org_id', flags: '--org <id>' },
      uses: pageFlags,
      examples: [`profiles search by-org '{"metadata":{"kind":"meter"},"limit":5}' $ORG`],
    },
  );

  add(
    group,
    'update <JSON> <profile_id> [token]',
    'Change a profile',
    async (call) => {
      const { profiles } = call.as(call.settings.urls.things);
      await profiles.update(call.id('profile_id'), call.object('JSON', having<ProfileChange>()));
      await call.output.ok();
    },
    {
      fields: profileChange,
      examples: [`profiles update $PROFILE --config '{"content_type":"application/json"}'`],
    },
  );
  add(
    group,
    'delete <JSON|profile_id> [token]',
    'Delete a profile that no thing has, or a list of them: \'["<profile_id>"]\'',
    async (call) => {
      const { profiles } = call.as(call.settings.urls.things);
      const ids = call.idOrIds('JSON|profile_id');
      const what = await nameOrCount(ids, 'profile', (id) => profiles.view(id));
      await call.confirm(what);
      await profiles.deleteAll(ids);
      call.tell(`removed ${what}`);
      await call.output.ok();
    },
    { removes: true, examples: ['profiles delete $PROFILE'] },
  );
};
