import type { Command } from 'commander';
import { having } from '../../../schemas/client/shape.ts';
import type {
  NewThing,
  ThingChange,
  ThingMetadata,
  ThingMove,
} from '../../../schemas/client/generated/types.ts';
import type { Call } from '../../invocation/call.ts';
import type { KeyType, ThingsOf } from '../../../schemas/client/resources/things.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import {
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
  time,
} from '../../input/fields.ts';
import { nameOrCount, takeAway } from '../../invocation/removal.ts';
import { parseKeyType } from '../../input/usage.ts';
import { addGet, addSearch, type Kind } from '../views.ts';

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
};
const ofProfile = { argument: 'profile_id', flags: '--profile <id>' };
const filters: ListFilters<'listThings'> = {
  ...namedFilters,
  order: {
    ...namedFilters.order,
    about: 'what they are sorted by: id, name, type, created_at, updated_at or last_seen',
  },
  type,
  cursor: text('--cursor <text>', '`next` of the page before'),
  silent_since: time('--silent-since <time>', 'not heard since this time, or never'),
  seen_since: time('--seen-since <time>', 'heard since this time'),
  messages_since: time(
    '--messages-since <time>',
    'with the number of messages that are dated since this time',
  ),
};

/** How things are shown, listed and searched. */
export const kind: Kind<Exclude<ThingsOf, 'all'>> = {
  one: 'thing',
  filters,
  places: {
    profile: (id) => ({ profile: id }),
    group: (id) => ({ group: id }),
    org: (id) => ({ org: id }),
  },
  client: (call) => call.as(call.settings.urls.things).things,
  example: '--name press --type sensor',
  listExamples: [
    'things get all --limit 20 --order name --dir asc',
    `things get all --metadata '{"hall":3}' -o csv`,
    'things get all --silent-since 2026-11-21T00:00:00Z --order last_seen',
    'things get all --seen-since 2026-11-21T00:00:00Z --type sensor',
  ],
};

export const addCommands: AddCommands = (group, add) => {
  addCreateGetAndUpdate(group, add);
  addChangesOfOne(group, add);
  addExternalKeys(group, add);
  addMetadata(group, add);
};

function addCreateGetAndUpdate(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <profile_id> [token]',
    'Create a thing, or a list of them, with a profile',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      const made = await things.create(
        call.id('profile_id'),
        call.list('JSON', having<NewThing>('name', 'type'), 'things'),
      );
      await call.output.created(
        made.map(({ id }) => id),
        { things: made },
      );
    },
    {
      fields: newThing,
      parent: ofProfile,
      examples: [
        'things create --name Thermometer --type sensor --profile $PROFILE',
        `things create '[{"name":"Valve","type":"actuator"},{"name":"Pump","type":"device"}]' $PROFILE`,
      ],
    },
  );
  addGet(group, add, kind);
  addSearch(group, add, kind);
  add(
    group,
    'update <JSON> <thing_id> [token]',
    'Change a thing',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      await things.update(call.id('thing_id'), call.object('JSON', having<ThingChange>()));
      await call.output.ok();
    },
    {
      fields: thingChange,
      examples: [
        'things update $THING --name "Thermometer, north"',
        `things update '{"metadata":{"hall":3}}' $THING`,
      ],
    },
  );
}

function addChangesOfOne(group: Command, add: Add): void {
  add(
    group,
    'update-metadata <JSON> [token]',
    'Add to the metadata of a thing, or of each of a list',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      await things.updateMetadata(call.list('JSON', having<ThingMetadata>('id')));
      await call.output.ok();
    },
    {
      fields: thingMetadata,
      examples: [
        `things update-metadata --id $THING --metadata '{"hall":4}'`,
        `things update-metadata '[{"id":"'$THING'","metadata":{"hall":4}}]'`,
      ],
    },
  );
  add(
    group,
    'move <JSON> <thing_id> [token]',
    'Move a thing to another profile, and to the group of that',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      await things.move(call.id('thing_id'), call.object('JSON', having<ThingMove>('profile_id')));
      await call.output.ok();
    },
    {
      fields: thingMove,
      examples: [
        'things move $THING --profile $PROFILE',
        `things move '{"profile_id":"'$PROFILE'","group_id":"'$GROUP'"}' $THING`,
      ],
    },
  );
  add(
    group,
    'delete <JSON|thing_id> [token]',
    'Delete a thing and its messages, or a list of them: \'["<thing_id>"]\'',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      const ids = call.idOrIds('JSON|thing_id');
      const what = `${await nameOrCount(ids, 'thing', (id) => things.view(id))} with all messages`;
      await takeAway(call, 'remove', what, () => things.deleteAll(ids));
    },
    { removes: true, examples: ['things delete $THING', `things delete '["'$OTHER_THING'"]'`] },
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
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      await things.setExternalKey(call.id('thing_id'), call.text('key'));
      await call.output.ok();
    },
    { examples: ['things external-key set plc-0042 $THING'] },
  );
  add(
    external,
    'remove <thing_id> [token]',
    'Remove it',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      const thing = await things.view(call.id('thing_id'));
      await takeAway(call, 'remove', `the external key of the thing "${thing.name}"`, () =>
        things.removeExternalKey(thing.id),
      );
    },
    { removes: true },
  );
  add(
    group,
    'identify <key_type|key> [key]',
    'Show the id of the thing that has a key (internal: made with it; external)',
    async (call) => {
      const { type: keyType, key } = keyOf(call);
      await call.output.show(await call.anonymous().things.identify(keyType, key));
    },
    { examples: ['things identify $KEY', 'things identify internal $KEY'] },
  );
}

function addMetadata(group: Command, add: Add): void {
  add(
    group,
    'metadata <key_type|key> [key]',
    'Show the metadata of the thing that has a key',
    async (call) => {
      const { type: keyType, key } = keyOf(call);
      await call.output.show(await call.anonymous().things.metadata(keyType, key));
    },
    { examples: ['things metadata $KEY', 'things metadata internal $KEY'] },
  );
}

/** A key without a type is an internal key. */
function keyOf(call: Call): { type: KeyType; key: string } {
  const first = call.text('key_type|key');
  const key = call.find('key');
  if (key === undefined) return { type: 'internal', key: first };
  return { type: parseKeyType(first), key };
}
