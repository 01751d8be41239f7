import type { Command } from 'commander';
import { having } from '../../../schemas/client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import {
  description,
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  retentionDays,
} from '../../input/fields.ts';
import { describeGroups, takeAway } from '../../invocation/removal.ts';
import type { GroupChange, NewGroup } from '../../../schemas/client/generated/types.ts';
import { kind as profiles } from '../devices/profiles.ts';
import { kind as things } from '../devices/things.ts';
import { addGet, addList, addSearch, type Kind } from '../views.ts';

const newGroup: Fields<NewGroup> = { name, description, metadata, retention_days: retentionDays };
const groupChange: Fields<GroupChange> = newGroup;
const filters: ListFilters<'listGroups'> = namedFilters;

/** How groups are shown, listed and searched. */
const kind: Kind<{ org: string }> = {
  one: 'group',
  filters,
  places: { org: (id) => ({ org: id }) },
  client: (call) => call.as(call.settings.urls.things).groups,
  example: '--name wheel',
};
const inOrg = { argument: 'org_id', flags: '--org <id>' };

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  addGetUpdateAndDelete(group, add);
};

function addCreate(group: Command, add: Add): void {
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
}

function addGetUpdateAndDelete(group: Command, add: Add): void {
  const get = addGet(group, add, kind);
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
  addSearch(group, add, kind);
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
      await takeAway(call, 'remove', what, () => client.groups.deleteAll(ids));
    },
    { removes: true, examples: ['groups delete $GROUP', `groups delete '["'$OTHER_GROUP'"]'`] },
  );
  addList(group, add, things, 'things', 'group');
  add(group, 'thing <thing_id> [token]', 'Show the group of a thing', ofThing);
  addList(group, add, profiles, 'profiles', 'group');
  add(group, 'profile <profile_id> [token]', 'Show the group of a profile', ofProfile);
}
