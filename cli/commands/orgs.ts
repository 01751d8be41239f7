import type { Command } from 'commander';
import type { NewOrg, OrgChange, QuotaChange } from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import {
  countOrNone,
  description,
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  retentionDays,
} from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { counted } from '../terminal/progress.ts';
import { addAudit } from './audit.ts';
import { change, changed, listed, make, of, searched, show } from './ordinary.ts';

const newOrg: Fields<NewOrg> = { name, description, metadata, retention_days: retentionDays };
const orgChange: Fields<OrgChange> = newOrg;
const filters: ListFilters<'listOrgs'> = namedFilters;
const quota: Fields<QuotaChange> = {
  things: countOrNone('--things <n>', 'how many things it may have (none: no limit)'),
  webhooks: countOrNone('--webhooks <n>', 'how many webhooks, with those of its groups and things'),
  rules: countOrNone('--rules <n>', 'how many rules its groups may have'),
  messages_per_month: countOrNone('--messages-per-month <n>', 'how many messages in a month'),
  records_per_second: countOrNone('--records-per-second <n>', 'how many records a second'),
  storage_days: countOrNone('--storage-days <n>', 'for how many days messages are kept at most'),
};

const ofOrg = of('org_id');

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> [token]',
    'Create an org',
    make('createOrg', (call) => ({ body: call.object('JSON', having<NewOrg>('name')) })),
    { fields: newOrg, examples: ['orgs create --name Mill', `orgs create '{"name":"Quarry"}'`] },
  );
  const get = add(
    group,
    'get <org_id> [token]',
    'Show one org, or list them',
    show('viewOrg', ofOrg),
  );
  add(get, 'all [token]', 'List the orgs one is in; as the admin all', show('listOrgs', listed), {
    fields: filters,
    uses: pageFlags,
    examples: ['orgs get all --order name --dir asc'],
  });
  add(get, 'by-id <org_id> [token]', 'Show one org', show('viewOrg', ofOrg));
  add(group, 'search <JSON> [token]', 'Search your orgs', show('searchOrgs', searched), {
    fields: filters,
    uses: pageFlags,
    examples: ['orgs search --name mill'],
  });
  add(
    group,
    'update <JSON> <org_id> [token]',
    'Change an org',
    change('updateOrg', changed('org_id')),
    {
      fields: orgChange,
      examples: ['orgs update $ORG --description "All mills of the valley"'],
    },
  );
  addDelete(group, add);
  add(
    group,
    'usage <org_id> [token]',
    'Show what an org has and sent this month, and its quota',
    show('viewOrgUsage', ofOrg),
  );
  add(
    group,
    'quota <JSON> <org_id> [token]',
    'Limit what an org may have and send, as the admin',
    change('setOrgQuota', changed('org_id')),
    { fields: quota, examples: ['orgs quota $ORG --things 1000 --messages-per-month none'] },
  );
  addAudit(group, add);
};

function addDelete(group: Command, add: Add): void {
  add(
    group,
    'delete <org_id> [token]',
    'Delete an org and all that is in it',
    async (call) => {
      const what = await describeOrg(call, call.id('org_id'));
      await askFirst(call, 'remove', what, () => call.ask('deleteOrg', ofOrg(call)));
    },
    { removes: true },
  );
}

/** An org with all that is deleted with it, in words. */
async function describeOrg(call: Call, id: string): Promise<string> {
  const all = { path: { id }, query: { limit: 1 } };
  const [org, groups, profiles, things] = await Promise.all([
    call.ask('viewOrg', { path: { id } }),
    call.ask('listOrgGroups', all),
    call.ask('listOrgProfiles', all),
    call.ask('listOrgThings', all),
  ]);
  const within = [
    counted(groups.total, 'group'),
    counted(profiles.total, 'profile'),
    counted(things.total, 'thing'),
  ].join(', ');
  return `the org "${org.name}" with ${within}, and all their messages`;
}
