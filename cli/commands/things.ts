import type { Command } from 'commander';
import { having } from '../../schemas/client/shape.ts';
import type {
  NewThing,
  ThingChange,
  ThingMetadata,
  ThingMove,
  ThingValuesSearch,
} from '../../schemas/client/client.ts';
import { type KeyType, thingCredential } from '../../schemas/client/credential.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import {
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
  texts,
  time,
  truth,
  whole,
} from '../input/fields.ts';
import { nameOrCount, askFirst } from '../invocation/removal.ts';
import { parseKeyType } from '../input/usage.ts';
import { addThingCommand } from './device-commands.ts';
import {
  addDelete,
  addGet,
  addSearch,
  change,
  changed,
  type Kind,
  listedOf,
  of,
  show,
} from './ordinary.ts';

const type = text('--type <type>', 'device, sensor, actuator, controller or gateway');
const newThing: Fields<NewThing> = {
  name,
  type,
  metadata,
  external_key: text('--external-key <key>', 'the key under which another system knows it'),
  id: text('--id <uuid>', 'a UUID for its id, if you choose it'),
  key: text('--key <key>', 'its key, if the device has one already'),
};
const thingChange: Fields<ThingChange> = {
  name,
  type,
  metadata,
  key: text('--key <key>', 'another key for the device'),
};
const thingMove: Fields<ThingMove> = {
  profile_id: text('--profile <id>', 'the profile it gets'),
  group_id: text('--group <id>', "that profile's group"),
};
const thingMetadata: Fields<ThingMetadata> = {
  id: text('--id <thing_id>', 'of which thing'),
  metadata,
  remove: texts('--remove <keys>', 'members to remove, with commas between them'),
};
const waiting: ListFilters<'awaitNextMessage'> = {
  wait: whole('--wait <seconds>', 'for how long: 1 to 30, the default'),
};
const filters: ListFilters<'listThings'> = {
  ...namedFilters,
  order: {
    ...namedFilters.order,
    about: 'what they are sorted by: id, name, type, created_at, updated_at or last_seen',
  },
  type,
  text: text('--text <text>', 'a part of the name, the begin of the id, or the external key'),
  heard: truth('--heard <bool>', 'true: only those that were ever heard; false: only others'),
  refused: truth('--refused <bool>', 'true: only those of which messages were refused unheard'),
  total_max: whole('--total-max <n>', 'count so many at most, which is quicker'),
  cursor: text('--cursor <text>', '`next` of the page before'),
  silent_since: time('--silent-since <time>', 'not heard since this time, or never'),
  seen_since: time('--seen-since <time>', 'heard since this time'),
  messages_since: time(
    '--messages-since <time>',
    'with the number of messages that are dated since this time',
  ),
};

/** How things are shown, listed and searched. */
export const kind: Kind = {
  one: 'thing',
  filters,
  view: 'viewThing',
  list: 'listThings',
  search: 'searchThings',
  places: {
    profile: { list: 'listProfileThings', search: 'searchProfileThings' },
    group: { list: 'listGroupThings', search: 'searchGroupThings' },
    org: { list: 'listOrgThings', search: 'searchOrgThings' },
  },
  example: '--name press --type sensor',
  listExamples: [
    'things get all --limit 20 --order name --dir asc',
    `things get all --metadata '{"hall":3}' -o csv`,
    'things get all --silent-since 2026-11-21T00:00:00Z --order last_seen',
    'things get all --seen-since 2026-11-21T00:00:00Z --type sensor',
  ],
};

function addOverviews(group: Command, add: Add): void {
  const overview = add(
    group,
    'overview [token]',
    'Show how many things are active, quiet, silent or never heard, and what is wrong now',
    show('viewOverview', () => ({})),
    { examples: ['things overview'] },
  );
  add(
    overview,
    'by-org <org_id> [token]',
    'Show the same of your things in an org',
    show('viewOrgOverview', of('org_id')),
    { examples: ['things overview by-org $ORG'] },
  );
  add(
    overview,
    'by-group <group_id> [token]',
    'Show the same of the things of a group',
    show('viewGroupOverview', of('group_id')),
    { examples: ['things overview by-group $GROUP'] },
  );
}

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  addGet(group, add, kind);
  addSearch(group, add, kind);
  add(
    group,
    'values <JSON> [token]',
    'Show the newest values of several things: {"things": […], "series": […]}',
    show('searchThingValues', (call) => ({
      body: call.object('JSON', having<ThingValuesSearch>('things')),
    })),
    {
      examples: [
        `things values '{"things":["'$THING'"],"series":[{"format":"senml","name":"t"}]}'`,
      ],
    },
  );
  add(
    group,
    'next-message <thing_id> [token]',
    'Wait for the next message of a thing, and show it as it came, and whether it was taken',
    show('awaitNextMessage', listedOf('thing_id')),
    { fields: waiting, examples: ['things next-message $THING --wait 5'] },
  );
  addOverviews(group, add);
  addChanges(group, add);
  addDelete(group, add, 'thing', {
    about: 'Delete a thing and its messages',
    describe: async (call, ids) =>
      `${await nameOrCount(call, ids, 'thing', 'viewThing')} with all messages`,
    remove: (call, ids) => call.ask('deleteThings', { body: { thing_ids: ids } }),
    examples: ['things delete $THING', `things delete '["'$OTHER_THING'"]'`],
  });
  addThingCommand(group, add);
  addExternalKeys(group, add);
  add(
    group,
    'identify <key_type|key> [key]',
    'Show the id of the thing that has a key (internal: made with it; external)',
    async (call) => {
      await call.output.show(await call.anonymous().call('identifyThing', { body: keyOf(call) }));
    },
    { examples: ['things identify $KEY', 'things identify internal $KEY'] },
  );
  add(
    group,
    'metadata <key_type|key> [key]',
    'Show the metadata of the thing that has a key',
    async (call) => {
      const { type: keyType, key } = keyOf(call);
      const as = thingCredential(keyType, key);
      await call.output.show(await call.anonymous().call('viewOwnMetadata', {}, { as }));
    },
    { examples: ['things metadata $KEY', 'things metadata internal $KEY'] },
  );
};

function addCreate(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <profile_id> [token]',
    'Create a thing, or a list of them, with a profile',
    async (call) => {
      const path = { id: call.id('profile_id') };
      const body = call.list('JSON', having<NewThing>('name', 'type'), 'things');
      const { things } = await call.ask('createThings', { path, body });
      const ids = things.map(({ id }) => id);
      await call.output.created(ids, { things });
    },
    {
      fields: newThing,
      parent: { argument: 'profile_id', flags: '--profile <id>' },
      examples: [
        'things create --name Thermometer --type sensor --profile $PROFILE',
        `things create '[{"name":"Valve","type":"actuator"},{"name":"Pump","type":"device"}]' $PROFILE`,
      ],
    },
  );
}

function addChanges(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <thing_id> [token]',
    'Change a thing',
    change('updateThing', changed('thing_id')),
    {
      fields: thingChange,
      examples: [
        'things update $THING --name "Thermometer, north"',
        `things update '{"metadata":{"hall":3}}' $THING`,
      ],
    },
  );
  add(
    group,
    'update-metadata <JSON> [token]',
    'Add to the metadata of a thing, or of each of a list',
    change('updateThingsMetadata', (call) => ({
      body: call.list('JSON', having<ThingMetadata>('id')),
    })),
    {
      fields: thingMetadata,
      examples: [
        `things update-metadata --id $THING --metadata '{"hall":4}'`,
        `things update-metadata '[{"id":"'$THING'","metadata":{"hall":4}}]'`,
        'things update-metadata --id $THING --remove floor',
      ],
    },
  );
  add(
    group,
    'move <JSON> <thing_id> [token]',
    'Move a thing to another profile, and to the group of that',
    change('moveThing', (call) => ({
      body: call.object('JSON', having<ThingMove>('profile_id')),
      ...of('thing_id')(call),
    })),
    {
      fields: thingMove,
      examples: [
        'things move $THING --profile $PROFILE',
        `things move '{"profile_id":"'$PROFILE'","group_id":"'$GROUP'"}' $THING`,
      ],
    },
  );
}

function addExternalKeys(group: Command, add: Add): void {
  const external = group
    .command('external-key')
    .description('Keys under which other systems know things');
  add(
    external,
    'set <key> <thing_id> [token]',
    'Set or replace it',
    change('setExternalKey', (call) => ({
      ...of('thing_id')(call),
      body: { key: call.text('key') },
    })),
    { examples: ['things external-key set plc-0042 $THING'] },
  );
  add(
    external,
    'remove <thing_id> [token]',
    'Remove it',
    async (call) => {
      const request = of('thing_id')(call);
      const { name: known } = await call.ask('viewThing', request);
      await askFirst(call, 'remove', `the external key of the thing "${known}"`, () =>
        call.ask('removeExternalKey', request),
      );
    },
    { removes: true },
  );
}

/** A key without a type is an internal key. */
function keyOf(call: Call): { type: KeyType; key: string } {
  const first = call.text('key_type|key');
  const key = call.find('key');
  if (key === undefined) return { type: 'internal', key: first };
  return { type: parseKeyType(first), key };
}
