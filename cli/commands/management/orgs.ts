import type { Command } from 'commander';
import type { NewOrg, OrgChange, QuotaChange } from '../../../schemas/client/generated/types.ts';
import { having } from '../../../schemas/client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import {
  countOrNone,
  description,
  type Fields,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  retentionDays,
} from '../../input/fields.ts';
import { describeOrg, takeAway } from '../../invocation/removal.ts';
import { addAudit } from './audit.ts';
import { pageFlags } from '../../input/flags.ts';

const newOrg: Fields<NewOrg> = { name, description, metadata, retention_days: retentionDays };
const orgChange: Fields<OrgChange> = newOrg;
const filters: ListFilters<'listOrgs'> = namedFilters;
const quota: Fields<QuotaChange> = {
  things: countOrNone('--things <n>', 'how many things it may have (none: no limit)'),
  webhooks: countOrNone('--webhooks <n>', 'how many webhooks, with those of its groups and things'),
  messages_per_month: countOrNone('--messages-per-month <n>', 'how many messages in a month'),
  records_per_second: countOrNone('--records-per-second <n>', 'how many records a second'),
  storage_days: countOrNone('--storage-days <n>', 'for how many days messages are kept at most'),
};

export const addCommands: AddCommands = (group, add) => {
  addCreateGetAndSearch(group, add);
  addUpdateAndDelete(group, add);
  addUsageAndQuota(group, add);
  addAudit(group, add);
};

function addCreateGetAndSearch(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> [token]',
    'Create an org',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await call.output.created([await orgs.create(call.object('JSON', having<NewOrg>('name')))]);
    },
    { fields: newOrg, examples: ['orgs create --name Mill', `orgs create '{"name":"Quarry"}'`] },
  );
  const view = async (call: Call) => {
    await call.output.show(await call.as(call.settings.urls.auth).orgs.view(call.id('org_id')));
  };
  const get = add(group, 'get <org_id> [token]', 'Show one org, or list them', view);
  add(
    get,
    'all [token]',
    'List the orgs one is in; as the admin all',
    async (call) => {
      await call.output.show(await call.as(call.settings.urls.auth).orgs.list(call.query()));
    },
    { fields: filters, uses: pageFlags, examples: ['orgs get all --order name --dir asc'] },
  );
  add(get, 'by-id <org_id> [token]', 'Show one org', view);
  add(
    group,
    'search <JSON> [token]',
    'Search your orgs',
    async (call) => {
      const { orgs } = call.as(call.settings.urls.auth);
      await call.output.show(await orgs.search(call.search('JSON')));
    },
    { fields: filters, uses: pageFlags, examples: ['orgs search --name mill'] },
  );
}

function addUpdateAndDelete(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <org_id> [token]',
    'Change an org',
    async (call) => {
      const change = call.object('JSON', having<OrgChange>());
      await call.as(call.settings.urls.auth).orgs.update(call.id('org_id'), change);
      await call.output.ok();
    },
    { fields: orgChange, examples: ['orgs update $ORG --description "All mills of the valley"'] },
  );
  add(
    group,
    'delete <org_id> [token]',
    'Delete an org and all that is in it',
    async (call) => {
      const client = call.as(call.settings.urls.auth);
      const id = call.id('org_id');
      const what = await describeOrg(client, id);
      await takeAway(call, 'remove', what, () => client.orgs.delete(id));
    },
    { removes: true },
  );
}

function addUsageAndQuota(group: Command, add: Add): void {
  add(
    group,
    'usage <org_id> [token]',
    'Show what an org has and sent this month, and its quota',
    async (call) => {
      await call.output.show(await call.as(call.settings.urls.auth).orgs.usage(call.id('org_id')));
    },
  );
  add(
    group,
    'quota <JSON> <org_id> [token]',
    'Limit what an org may have and send, as the admin',
    async (call) => {
      const change = call.object('JSON', having<QuotaChange>());
      await call.as(call.settings.urls.auth).orgs.setQuota(call.id('org_id'), change);
      await call.output.ok();
    },
    { fields: quota, examples: ['orgs quota $ORG --things 1000 --messages-per-month none'] },
  );
}
