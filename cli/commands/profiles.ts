import type { Command } from 'commander';
import { having } from '../../schemas/client/shape.ts';
import type {
  NewProfile,
  ProfileChange,
  ProfilePreview,
} from '../../schemas/client/generated/types.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import {
  type Fields,
  json,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
} from '../input/fields.ts';
import { nameOrCount } from '../invocation/removal.ts';
import { addDelete, addGet, addSearch, change, changed, type Kind, of, show } from './ordinary.ts';

const profileChange: Fields<ProfileChange> = {
  name,
  config: json(
    '--config <json>',
    'how messages are read: content_type, write, transformer (data_filters, data_field, time_field, time_format, time_location), and gateway (device_path, device_level, device_tag, key_prefix, create_things)',
  ),
  metadata,
};
const newProfile: Fields<NewProfile> = {
  ...profileChange,
  id: text('--id <uuid>', 'a UUID for its id, if you choose it'),
};
const preview: Fields<ProfilePreview> = {
  config: profileChange.config,
  payload: text('--payload <text>', 'the body of a message, as a device sends it'),
};
const filters: ListFilters<'listProfiles'> = namedFilters;

/** How profiles are shown, listed and searched. */
export const kind: Kind = {
  one: 'profile',
  filters,
  view: 'viewProfile',
  list: 'listProfiles',
  search: 'searchProfiles',
  places: {
    group: { list: 'listGroupProfiles', search: 'searchGroupProfiles' },
    org: { list: 'listOrgProfiles', search: 'searchOrgProfiles' },
  },
  example: '--name sens',
};

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  const get = addGet(group, add, kind);
  add(
    get,
    'by-thing <thing_id> [token]',
    'Show the profile of a thing',
    show('viewThingProfile', of('thing_id')),
  );
  addSearch(group, add, kind);
  addPreview(group, add);
  add(
    group,
    'update <JSON> <profile_id> [token]',
    'Change a profile',
    change('updateProfile', changed('profile_id')),
    {
      fields: profileChange,
      examples: [`profiles update $PROFILE --config '{"content_type":"application/json"}'`],
    },
  );
  addDelete(group, add, 'profile', {
    about: 'Delete a profile that no thing has',
    describe: (call, ids) => nameOrCount(call, ids, 'profile', 'viewProfile'),
    remove: (call, ids) => call.ask('deleteProfiles', { body: { profile_ids: ids } }),
    examples: ['profiles delete $PROFILE'],
  });
};

function addCreate(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Create a profile, or a list of them, in a group',
    async (call) => {
      const path = { id: call.id('group_id') };
      const body = call.list('JSON', having<NewProfile>('name'), 'profiles');
      const { profiles } = await call.ask('createProfiles', { path, body });
      const ids = profiles.map(({ id }) => id);
      await call.output.created(ids, profiles.length === 1 ? profiles[0] : { profiles });
    },
    {
      fields: newProfile,
      parent: { argument: 'group_id', flags: '--group <id>' },
      examples: [
        'profiles create --name Sensors --group $GROUP',
        `profiles create --name Meters --group $GROUP --config '{"transformer":{"time_field":"ts","time_format":"unix"}}'`,
        `profiles create '{"name":"Valves"}' $GROUP`,
      ],
    },
  );
}

function addPreview(group: Command, add: Add): void {
  add(
    group,
    'preview <JSON> <group_id> [token]',
    'Show what a profile makes of a JSON message, before it is saved',
    show('previewProfile', (call) => ({
      ...of('group_id')(call),
      body: call.object('JSON', having<ProfilePreview>('payload')),
    })),
    {
      fields: preview,
      parent: { argument: 'group_id', flags: '--group <id>' },
      examples: [
        `profiles preview --group $GROUP --payload '{"ts":1795780800,"level":3.2}' --config '{"transformer":{"time_field":"ts"}}'`,
      ],
    },
  );
}
