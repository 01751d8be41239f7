import type { Command } from 'commander';
import type {
  DefaultReceiversChange,
  NewRule,
  RuleChange,
  RulePreview,
} from '../../schemas/client/client.ts';
import { having } from '../../schemas/client/shape.ts';
import {
  countOrNone,
  duration,
  type Fields,
  json,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  orNone,
  text,
  texts,
  truth,
} from '../input/fields.ts';
import { pageFlags } from '../input/flags.ts';
import type { Call } from '../invocation/call.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { change, changed, groupOrAll, listedOf, make, of, show } from './ordinary.ts';

/** When a rule fires, and for what. */
const deciding = {
  conditions: json('--conditions <json>', `one to five: '[{"name":"t","when":">","value":8}]'`),
  match: text('--match <all|any>', 'whether all must hold at once (the default), or any of them'),
  for: duration('--for <duration>', 'how long they must hold: 300, 5m; default 0'),
  clear_for: duration('--clear-for <duration>', 'how long they must be over; default 0'),
  gap: orNone(duration('--gap <duration>', 'a longer hole between records begins it anew')),
  profile_id: orNone(text('--profile <id>', 'only things of this profile (none: of any)')),
  thing_ids: orNone(texts('--things <ids>', 'only these things, between commas (none: all)')),
};
const newRule: Fields<NewRule> = {
  name,
  ...deciding,
  severity: text('--severity <severity>', 'info, warning (the default) or critical'),
  enabled: truth('--enabled <true|false>', 'whether it counts'),
  repeat_every: orNone(duration('--repeat-every <duration>', 'how often it is told again')),
  receivers: orNone(
    json('--receivers <json>', `who hears of its alarms: '{"mails":["ann@example.com"]}'`),
  ),
  metadata,
};
const ruleChange: Fields<RuleChange> = newRule;
const preview: Fields<RulePreview> = {
  ...deciding,
  days: countOrNone('--days <n>', 'how many days back from now; default 30'),
};
const defaults: Fields<DefaultReceiversChange> = { receivers: newRule.receivers };

const filters: ListFilters<'listGroupRules'> = {
  ...namedFilters,
  order: {
    ...namedFilters.order,
    about: 'what they are sorted by: id, name, severity, created_at or updated_at',
  },
};

export const addCommands: AddCommands = (group, add) => {
  addCreateAndPreview(group, add);
  addReading(group, add);
  addChanges(group, add);
  addReceivers(group, add);
};

function addCreateAndPreview(group: Command, add: Add): void {
  const parent = { argument: 'group_id', flags: '--group <id>' };
  add(
    group,
    'create <JSON> <group_id> [token]',
    'Create a rule of a group',
    make('createRule', (call) => ({
      ...of('group_id')(call),
      body: call.object('JSON', having<NewRule>('name', 'conditions')),
    })),
    {
      fields: newRule,
      parent,
      examples: [
        `rules create $GROUP --name "Cold room" --conditions '[{"name":"temperature","when":">","value":8}]' --for 5m`,
        `rules create '{"name":"Silent","conditions":[{"when":"silent"}],"for":3600}' $GROUP`,
        'rules create - $GROUP < rule.json',
      ],
    },
  );
  add(
    group,
    'preview <JSON> <group_id> [token]',
    'Show the alarms that a rule would have raised, before it is made',
    show('previewRule', (call) => ({
      ...of('group_id')(call),
      body: call.object('JSON', having<RulePreview>('conditions')),
    })),
    {
      fields: preview,
      parent,
      examples: [
        `rules preview $GROUP --conditions '[{"name":"temperature","when":">","value":8}]' --days 7`,
      ],
    },
  );
}

function addReading(group: Command, add: Add): void {
  const extras = { fields: filters, uses: pageFlags };
  const list = add(
    group,
    'list [group_id|token] [token]',
    'List the rules of all your groups, of a group, of an org, or those about a thing',
    async (call) => {
      const { group: id, token } = groupOrAll(call);
      const query = call.query();
      const client = call.as('things', token);
      const answer: object =
        id === undefined
          ? await client.call('listRules', { query })
          : await client.call('listGroupRules', { path: { id }, query });
      await call.output.show(answer);
    },
    { ...extras, examples: ['rules list', 'rules list $GROUP --order severity'] },
  );
  add(
    list,
    'by-org <org_id> [token]',
    'List the rules of your groups in an org',
    show('listOrgRules', listedOf('org_id')),
    { ...extras, examples: ['rules list by-org $ORG --name cold'] },
  );
  add(
    list,
    'by-thing <thing_id> [token]',
    'List the rules that are about a thing',
    show('listThingRules', listedOf('thing_id')),
    extras,
  );
  add(group, 'get <rule_id> [token]', 'Show a rule', show('viewRule', of('rule_id'))).alias('show');
}

function addChanges(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <rule_id> [token]',
    'Change a rule, disable or enable it',
    change('updateRule', changed('rule_id')),
    {
      fields: ruleChange,
      examples: ['rules update $RULE --for 10m --gap none', 'rules update $RULE --enabled false'],
    },
  );
  add(
    group,
    'delete <rule_id> [token]',
    'Delete a rule; its alarms end, and stay to be read',
    async (call) => {
      const request = of('rule_id')(call);
      const rule = await call.ask('viewRule', request);
      await askFirst(call, 'remove', `the rule "${rule.name}"`, () =>
        call.ask('deleteRule', request),
      );
    },
    { removes: true },
  );
}

/** Who hears of alarms whose rule names nobody. */
function addReceivers(group: Command, add: Add): void {
  const receivers = add(
    group,
    'receivers <group_id> [token]',
    'Show or set who hears of alarms of a group whose rule names nobody',
    show('viewGroupReceivers', of('group_id')),
  );
  add(
    receivers,
    'by-org <org_id> [token]',
    'Show who hears of alarms of an org whose rule and group name nobody',
    show('viewOrgReceivers', of('org_id')),
  );
  const body = (call: Call) => call.object('JSON', having<DefaultReceiversChange>('receivers'));
  add(
    receivers,
    'set <JSON> <group_id> [token]',
    'Set who hears of alarms of a group whose rule names nobody',
    change('setGroupReceivers', (call) => ({ ...of('group_id')(call), body: body(call) })),
    {
      fields: defaults,
      examples: [`rules receivers set $GROUP --receivers '{"mails":["ann@example.com"]}'`],
    },
  );
  add(
    receivers,
    'set-for-org <JSON> <org_id> [token]',
    'Set who hears of alarms of an org whose rule and group name nobody',
    change('setOrgReceivers', (call) => ({ ...of('org_id')(call), body: body(call) })),
    {
      fields: defaults,
      examples: [`rules receivers set-for-org $ORG --receivers '{"mails":["ann@example.com"]}'`],
    },
  );
}
