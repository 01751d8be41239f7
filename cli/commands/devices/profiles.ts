import type { Command } from 'commander';
import { having } from '../../../schemas/client/shape.ts';
import type { NewProfile, ProfileChange } from '../../../schemas/client/generated/types.ts';
import type { ProfilesOf } from '../../../schemas/client/resources/profiles.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import {
  type Fields,
  json,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
} from '../../input/fields.ts';
import { nameOrCount, takeAway } from '../../invocation/removal.ts';
import { addGet, addSearch, type Kind } from '../views.ts';

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
  id: text('--id <uuid>', 'a UUID for its id, if you choose it'),
};
const inGroup = { argument: 'group_id', flags: '--group <id>' };
const filters: ListFilters<'listProfiles'> = namedFilters;

/** How profiles are shown, listed and searched. */
export const kind: Kind<Exclude<ProfilesOf, 'all'>> = {
  one: 'profile',
  filters,
  places: { group: (id) => ({ group: id }), org: (id) => ({ org: id }) },
  client: (call) => call.as(call.settings.urls.things).profiles,
  example: '--name sens',
};

export const addCommands: AddCommands = (group, add) => {
  addCreateGetAndUpdate(group, add);
  addDelete(group, add);
};

function addCreateGetAndUpdate(group: Command, add: Add): void {
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
  const get = addGet(group, add, kind);
  add(get, 'by-thing <thing_id> [token]', 'Show the profile of a thing', async (call) => {
    const { profiles } = call.as(call.settings.urls.things);
    await call.output.show(await profiles.ofThing(call.id('thing_id')));
  });
  addSearch(group, add, kind);
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
}

function addDelete(group: Command, add: Add): void {
  add(
    group,
    'delete <JSON|profile_id> [token]',
    'Delete a profile that no thing has, or a list of them: \'["<profile_id>"]\'',
    async (call) => {
      const { profiles } = call.as(call.settings.urls.things);
      const ids = call.idOrIds('JSON|profile_id');
      const what = await nameOrCount(ids, 'profile', (id) => profiles.view(id));
      await takeAway(call, 'remove', what, () => profiles.deleteAll(ids));
    },
    { removes: true, examples: ['profiles delete $PROFILE'] },
  );
}
