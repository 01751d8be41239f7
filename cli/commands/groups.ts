import { having } from '../client/shape.ts';
import type { Call } from '../call.ts';
import type { AddCommands } from '../command.ts';
import { description, type Fields, metadata, name, retentionDays } from '../fields.ts';
import { describeGroups } from '../removal.ts';
import { listFlags, pageFlags } from '../settings.ts';
import type { GroupChange, NewGroup } from '../client/openapi.ts';

const newGroup: Fields<NewGroup> = { name, description, metadata, retention_days: retentionDays };
const groupChange: Fields<GroupChange> = newGroup;
/** What a search looks at. */
const search = { name, metadata };
const inOrg = { argument: 'org_id', flags: '--org <id>' };

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
    {
      fields: newGroup,
      parent: inOrg,
      examples: [
        'groups create --name "Wheel house" --org $ORG',
        `groups create '[{"name":"North"},{"name":"South"}]' $ORG`,
      ],
    },
  );

  const view = async (call: Call) => {
    const { groups } = call.as(call.settings.urls.things);
    await call.output.show(await groups.view(call.id('group_id')));
  };
  const get = add(group, 'get <group_id> [token]', 'Show one group, or list them', view);
  add(
    get,
    'all [token]',
    'List all groups',
    async (call) => {
      const { urls, page, named } = call.settings;
      await call.output.show(await call.as(urls.things).groups.list({ ...page, ...named }));
    },
    { uses: listFlags },
  );
  add(get, 'by-id <group_id> [token]', 'Show one group', view);
  add(
    get,
    'by-org <org_id> [token]',
    'List the groups of an org',
    async (call) => {
      const { urls, page, named } = call.settings;
      const { groups } = call.as(urls.things);
      await call.output.show(await groups.listOfOrg(call.id('org_id'), { ...page, ...named }));
    },
    { uses: listFlags },
  );
  const ofThing = async (call: Call) => {
    const { groups } = call.as(call.settings.urls.things);
    await call.output.show(await groups.ofThing(call.id('thing_id')));
  };
  const ofProfile = async (call: Call) => {
    const { groups } = call.as(call.settings.urls.things);
    await call.output.show(await groups.ofProfile(call.id('profile_id')));
  };
  add(get, 'by-thing <thing_id> [token]', 'Show the group of a thing', ofThing);
  add(get, 'by-profile <profile_id> [token]', 'Show the group of a profile', ofProfile);

  const find = async (call: Call, of: 'all' | { org: string }) => {
    const { groups } = call.as(call.settings.urls.things);
    await call.output.show(await groups.search(of, call.search('JSON')));
  };
  const found = add(
    group,
    'search <JSON> [token]',
    'Search all groups',
    (call) => find(call, 'all'),
    { fields: search, uses: pageFlags, examples: ['groups search --name wheel'] },
  );
  add(
    found,
    'by-org <JSON> <org_id> [token]',
    'Search in an org',
    (call) => find(call, { org: call.id('org_id') }),
    {
      fields: search,
      parent: inOrg,
      uses: pageFlags,
      examples: ['groups search by-org --name wheel --org $ORG'],
    },
  );

  add(
    group,
    'update <JSON> <group_id> [token]',
    'Change a group',
    async (call) => {
      const change = call.object('JSON', having<GroupChange>());
      await call.as(call.settings.urls.things).groups.update(call.id('group_id'), change);
      await call.output.ok();
    },
    { fields: groupChange, examples: ['groups update $GROUP --retention-days 90'] },
  );
  add(
    group,
    'delete <JSON|group_id> [token]',
    'Delete a group and all that is in it, or a list of them: \'["<group_id>"]\'',
    async (call) => {
      const client = call.as(call.settings.urls.things);
      const ids = call.idOrIds('JSON|group_id');
      const what = await describeGroups(client, ids);
      await call.confirm(what);
      await client.groups.deleteAll(ids);
      call.tell(`removed ${what}`);
      await call.output.ok();
    },
    { removes: true, examples: ['groups delete $GROUP', `groups delete '["'$OTHER_GROUP'"]'`] },
  );

  add(
    group,
    'things <group_id> [token]',
    'List the things of a group',
    async (call) => {
      const { urls, page, named } = call.settings;
      const of = { group: call.id('group_id') };
      await call.output.show(await call.as(urls.things).things.list(of, { ...page, ...named }));
    },
    { uses: listFlags },
  );
  add(group, 'thing <thing_id> [token]', 'Show the group of a thing', ofThing);
  add(
    group,
    'profiles <group_id> [token]',
    'List the profiles of a group',
    async (call) => {
      const { urls, page, named } = call.settings;
      const of = { group: call.id('group_id') };
      await call.output.show(await call.as(urls.things).profiles.list(of, { ...page, ...named }));
    },
    { uses: listFlags },
  );
  add(group, 'profile <profile_id> [token]', 'Show the group of a profile', ofProfile);
};
