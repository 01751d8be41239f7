import type { Command } from 'commander';
import type { GroupChange, NewGroup } from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import {
  description,
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  retentionDays,
} from '../input/fields.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { nameOrCount } from '../invocation/removal.ts';
import { counted } from '../terminal/progress.ts';
import { addGroupCommand } from './device-commands.ts';
import {
  addDelete,
  addGet,
  addList,
  addSearch,
  change,
  changed,
  type Kind,
  of,
  show,
} from './ordinary.ts';
import { kind as profiles } from './profiles.ts';
import { kind as things } from './things.ts';

const newGroup: Fields<NewGroup> = { name, description, metadata, retention_days: retentionDays };
const groupChange: Fields<GroupChange> = newGroup;
const filters: ListFilters<'listGroups'> = namedFilters;

/** How groups are shown, listed and searched. */
const kind: Kind = {
  one: 'group',
  filters,
  view: 'viewGroup',
  list: 'listGroups',
  search: 'searchGroups',
  places: { org: { list: 'listOrgGroups', search: 'searchOrgGroups' } },
  example: '--name wheel',
};

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  const get = addGet(group, add, kind);
  const ofThing = show('viewThingGroup', of('thing_id'));
  const ofProfile = show('viewProfileGroup', of('profile_id'));
  add(get, 'by-thing <thing_id> [token]', 'Show the group of a thing', ofThing);
  add(get, 'by-profile <profile_id> [token]', 'Show the group of a profile', ofProfile);
  addSearch(group, add, kind);
  add(
    group,
    'update <JSON> <group_id> [token]',
    'Change a group',
    change('updateGroup', changed('group_id')),
    { fields: groupChange, examples: ['groups update $GROUP --retention-days 90'] },
  );
  addGroupCommand(group, add);
  addDelete(group, add, 'group', {
    about: 'Delete a group and all that is in it',
    describe: describeGroups,
    remove: (call, ids) => call.ask('deleteGroups', { body: { group_ids: ids } }),
    examples: ['groups delete $GROUP', `groups delete '["'$OTHER_GROUP'"]'`],
  });
  addList(group, add, things, 'things', 'group');
  add(group, 'thing <thing_id> [token]', 'Show the group of a thing', ofThing);
  addList(group, add, profiles, 'profiles', 'group');
  add(group, 'profile <profile_id> [token]', 'Show the group of a profile', ofProfile);
};

function addCreate(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <org_id> [token]',
    'Create a group, or a list of them, in an org',
    async (call) => {
      const given = call.list('JSON', having<NewGroup>('name'));
      const path = { id: call.id('org_id') };
      const [first] = given;
      if (given.length === 1 && first !== undefined) {
        await call.output.created([await call.create('createGroups', { path, body: first })]);
        return;
      }
      const { groups } = await call.ask('createGroups', { path, body: given });
      const ids = groups.map(({ id }) => id);
      await call.output.created(ids, { groups });
    },
    {
      fields: newGroup,
      parent: { argument: 'org_id', flags: '--org <id>' },
      examples: [
        'groups create --name "Wheel house" --org $ORG',
        `groups create '[{"name":"North"},{"name":"South"}]' $ORG`,
      ],
    },
  );
}

/** Groups with all that is deleted with them, in words. */
async function describeGroups(call: Call, ids: readonly string[]): Promise<string> {
  let [profileCount, thingCount] = [0, 0];
  for (const id of ids) {
    const all = { path: { id }, query: { limit: 1 } };
    profileCount += (await call.ask('listGroupProfiles', all)).total;
    thingCount += (await call.ask('listGroupThings', all)).total;
  }
  const what = await nameOrCount(call, ids, 'group', 'viewGroup');
  const within = `${counted(profileCount, 'profile')}, ${counted(thingCount, 'thing')}`;
  return `${what} with ${within}, and all their messages`;
}
