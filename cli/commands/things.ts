import { having } from '../client/shape.ts';
import type { NewThing, ThingChange, ThingMetadata, ThingMove } from '../client/openapi.ts';
import type { Call } from '../call.ts';
import type { KeyType, ThingsOf } from '../client/things.ts';
import type { AddCommands } from '../command.ts';
import { type Fields, metadata, name, text } from '../fields.ts';
import { nameOrCount } from '../removal.ts';
import { listFlags, pageFlags } from '../settings.ts';
import { parseKeyType } from '../usage.ts';

const type = text('--type <type>', 'device, sensor, actuator, controller or gateway');
const newThing: Fields<NewThing> = {
  name,
  type,
  metadata,
  external_key: text('--external-key <key>', 'the key under which another system knows it'),
  id: text('--id <uuid>', 'its id, if it must have a certain one'),
  key: text('--key <key>', 'its key, if one is burned into the device'),
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
/** What a search looks at. */
const search = { name, type, metadata };

export const addCommands: AddCommands = (group, add) => {
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

  const view = async (call: Call) => {
    const { things } = call.as(call.settings.urls.things);
    await call.output.show(await things.view(call.id('thing_id')));
  };
  const list = async (call: Call, of: ThingsOf) => {
    const { urls, page, named } = call.settings;
    await call.output.show(await call.as(urls.things).things.list(of, { ...page, ...named }));
  };
  const uses = listFlags;
  const get = add(group, 'get <thing_id> [token]', 'Show one thing, or list them', view);
  add(get, 'all [token]', 'List all things', (call) => list(call, 'all'), {
    uses,
    examples: ['things get all --limit 20', `things get all --metadata '{"hall":3}' -o csv`],
  });
  add(get, 'by-id <thing_id> [token]', 'Show one thing', view);
  add(
    get,
    'by-profile <profile_id> [token]',
    'List the things of a profile',
    (call) => list(call, { profile: call.id('profile_id') }),
    { uses },
  );
  add(
    get,
    'by-group <group_id> [token]',
    'List the things of a group',
    (call) => list(call, { group: call.id('group_id') }),
    { uses },
  );
  add(
    get,
    'by-org <org_id> [token]',
    'List the things of an org',
    (call) => list(call, { org: call.id('org_id') }),
    { uses },
  );

  const find = async (call: Call, of: ThingsOf) => {
    const { things } = call.as(call.settings.urls.things);
    await call.output.show(await things.search(of, call.search('JSON')));
  };
  const found = add(
    group,
    'search <JSON> [token]',
    'Search all things',
    (call) => find(call, 'all'),
    {
      fields: search,
      uses: pageFlags,
      examples: [
        'things search --name press --type sensor',
        `things search '{"metadata":{"hall":3}}'`,
      ],
    },
  );
  add(
    found,
    'by-profile <JSON> <profile_id> [token]',
    'Search in a profile',
    (call) => find(call, { profile: call.id('profile_id') }),
    {
      fields: search,
      parent: ofProfile,
      uses: pageFlags,
      examples: ['things search by-profile --name press --profile $PROFILE'],
    },
  );
  add(
    found,
    'by-group <JSON> <group_id> [token]',
    'Search in a group',
    (call) => find(call, { group: call.id('group_id') }),
    {
      fields: search,
      parent: { argument: 'group_id', flags: '--group <id>' },
      uses: pageFlags,
      examples: ['things search by-group --name press --group $GROUP'],
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
      examples: ['things search by-org --type gateway --org $ORG'],
    },
  );

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
    'Give it another profile, and with it its group',
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
      await call.confirm(what);
      await things.deleteAll(ids);
      call.tell(`removed ${what}`);
      await call.output.ok();
    },
    { removes: true, examples: ['things delete $THING', `things delete '["'$OTHER_THING'"]'`] },
  );

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
  add(external, 'remove <thing_id> [token]', 'Remove it', async (call) => {
    await call.as(call.settings.urls.things).things.removeExternalKey(call.id('thing_id'));
    await call.output.ok();
  });

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
};

/** A key by itself is one made with a thing. */
function keyOf(call: Call): { type: KeyType; key: string } {
  const first = call.text('key_type|key');
  const key = call.find('key');
  if (key === undefined) return { type: 'internal', key: first };
  return { type: parseKeyType(first), key };
}
