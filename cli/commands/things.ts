import { having } from '../client/shape.ts';
import type { NewThing, ThingChange, ThingMetadata, ThingMove } from '../client/openapi.ts';
import type { Call } from '../call.ts';
import type { KeyType, ThingsOf } from '../client/things.ts';
import type { AddCommands } from '../command.ts';
import { parseKeyType } from '../usage.ts';

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
  );

  const view = async (call: Call) => {
    const { things } = call.as(call.settings.urls.things);
    await call.output.show(await things.view(call.id('thing_id')));
  };
  const list = async (call: Call, of: ThingsOf) => {
    const { urls, page, named } = call.settings;
    await call.output.show(await call.as(urls.things).things.list(of, { ...page, ...named }));
  };
  const get = add(group, 'get <thing_id> [token]', 'Show one thing, or list them', view);
  add(get, 'all [token]', 'List all things', (call) => list(call, 'all'));
  add(get, 'by-id <thing_id> [token]', 'Show one thing', view);
  add(get, 'by-profile <profile_id> [token]', 'List the things of a profile', (call) =>
    list(call, { profile: call.id('profile_id') }),
  );
  add(get, 'by-group <group_id> [token]', 'List the things of a group', (call) =>
    list(call, { group: call.id('group_id') }),
  );
  add(get, 'by-org <org_id> [token]', 'List the things of an org', (call) =>
    list(call, { org: call.id('org_id') }),
  );

  const search = async (call: Call, of: ThingsOf) => {
    const { things } = call.as(call.settings.urls.things);
    await call.output.show(await things.search(of, call.object('JSON', having<object>())));
  };
  const found = add(group, 'search <JSON> [token]', 'Search: \'{"name": "…"}\'', (call) =>
    search(call, 'all'),
  );
  add(found, 'by-profile <JSON> <profile_id> [token]', 'Search in a profile', (call) =>
    search(call, { profile: call.id('profile_id') }),
  );
  add(found, 'by-group <JSON> <group_id> [token]', 'Search in a group', (call) =>
    search(call, { group: call.id('group_id') }),
  );
  add(found, 'by-org <JSON> <org_id> [token]', 'Search in an org', (call) =>
    search(call, { org: call.id('org_id') }),
  );

  add(group, 'update <JSON> <thing_id> [token]', 'Change a thing', async (call) => {
    const { things } = call.as(call.settings.urls.things);
    await things.update(call.id('thing_id'), call.object('JSON', having<ThingChange>()));
    await call.output.ok();
  });
  add(
    group,
    'update-metadata <JSON> [token]',
    'Add to the metadata of several: \'[{"id": "…", "metadata": {…}}]\'',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      await things.updateMetadata(call.list('JSON', having<ThingMetadata>('id')));
      await call.output.ok();
    },
  );
  add(
    group,
    'move <JSON> <thing_id> [token]',
    'Give it another profile: \'{"profile_id": "…", "group_id": "…"}\'',
    async (call) => {
      const { things } = call.as(call.settings.urls.things);
      await things.move(call.id('thing_id'), call.object('JSON', having<ThingMove>('profile_id')));
      await call.output.ok();
    },
  );
  add(group, 'delete <thing_id> [token]', 'Delete a thing', async (call) => {
    await call.as(call.settings.urls.things).things.delete(call.id('thing_id'));
    await call.output.ok();
  });

  const external = group
    .command('external-key')
    .description('Keys under which other systems know things');
  add(external, 'set <key> <thing_id> [token]', 'Set or replace it', async (call) => {
    const { things } = call.as(call.settings.urls.things);
    await things.setExternalKey(call.id('thing_id'), call.text('key'));
    await call.output.ok();
  });
  add(external, 'remove <thing_id> [token]', 'Remove it', async (call) => {
    await call.as(call.settings.urls.things).things.removeExternalKey(call.id('thing_id'));
    await call.output.ok();
  });

  add(
    group,
    'identify <key_type|key> [key]',
    'Show the id of the thing that has a key',
    async (call) => {
      const { type, key } = keyOf(call);
      await call.output.show(await call.anonymous().things.identify(type, key));
    },
  );
  add(
    group,
    'metadata <key_type|key> [key]',
    'Show the metadata of the thing that has a key',
    async (call) => {
      const { type, key } = keyOf(call);
      await call.output.show(await call.anonymous().things.metadata(type, key));
    },
  );
};

/** A key by itself is one made with a thing. */
function keyOf(call: Call): { type: KeyType; key: string } {
  const first = call.text('key_type|key');
  const key = call.find('key');
  if (key === undefined) return { type: 'internal', key: first };
  return { type: parseKeyType(first), key };
}
