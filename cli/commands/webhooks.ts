import type { Command } from 'commander';
import { having } from '../../schemas/client/shape.ts';
import type { Call } from '../invocation/call.ts';
import type { NewWebhook, Replay, WebhookChange } from '../../schemas/client/generated/types.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import {
  type Fields,
  json,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
  truth,
} from '../input/fields.ts';
import { counted } from '../terminal/progress.ts';
import { pageFlags } from '../input/flags.ts';
import { UsageError } from '../input/usage.ts';
import { addDelete, change, changed, listedOf, of, show } from './ordinary.ts';

/** Only the secret has no flag: it must not be on the command line. JSON can also come from a pipe. */
const newWebhook: Fields<Omit<NewWebhook, 'secret'>> = {
  name,
  url: text('--endpoint <url>', 'where messages are sent'),
  headers: json('--headers <json>', `headers to send along: {"X-Room":"3"}`),
  messages: truth('--messages <true|false>', 'whether it gets messages, or only notices of alarms'),
  metadata,
};
const webhookChange: Fields<Omit<WebhookChange, 'secret'>> = {
  ...newWebhook,
  disabled: truth('--disabled <true|false>', 'whether nothing is sent to it'),
};
const filters: ListFilters<'listThingWebhooks'> = namedFilters;

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  addGet(group, add);
  addUpdateDeleteAndPing(group, add);
  addDeliveries(group, add);
  addMessage(group, add);
  addReplay(group, add);
};

function addCreate(group: Command, add: Add): void {
  const places = [
    {
      command: 'create',
      of: 'thing',
      name: 'createWebhooks',
      about: 'Send a copy of each message of a thing to a URL',
      examples: [
        'webhooks create --name Alarms --endpoint https://example.com/hook --thing $THING',
        'webhooks create - $THING < webhook-with-secret.json',
      ],
    },
    {
      command: 'create-for-group',
      of: 'group',
      name: 'createGroupWebhooks',
      about: 'Send a copy of each message of all things of a group to a URL',
      examples: [
        'webhooks create-for-group --name All --endpoint https://example.com/hook --group $GROUP',
      ],
    },
    {
      command: 'create-for-org',
      of: 'org',
      name: 'createOrgWebhooks',
      about: 'Send a copy of each message of all things of an org to a URL',
      examples: [
        'webhooks create-for-org --name All --endpoint https://example.com/hook --org $ORG',
      ],
    },
  ] as const;
  for (const { command, of: place, name: operation, about, examples } of places) {
    const id = `${place}_id`;
    add(
      group,
      `${command} <JSON> <${id}> [token]`,
      about,
      async (call) => {
        const body = call.list('JSON', having<NewWebhook>('name', 'url'), 'webhooks');
        const answer = await call.ask(operation, { ...of(id)(call), body });
        const made = Array.isArray(answer) ? answer : answer.webhooks;
        const ids = made.map((one) => one.id);
        await call.output.created(ids, made);
      },
      { fields: newWebhook, parent: { argument: id, flags: `--${place} <id>` }, examples },
    );
  }
}

function addGet(group: Command, add: Add): void {
  const view = show('viewWebhook', of('webhook_id'));
  const extras = { fields: filters, uses: pageFlags };
  const get = add(group, 'get <webhook_id> [token]', 'Show one webhook, or list them', view);
  add(get, 'by-id <webhook_id> [token]', 'Show one webhook', view);
  add(
    get,
    'by-thing <thing_id> [token]',
    'List the webhooks of a thing',
    show('listThingWebhooks', listedOf('thing_id')),
    extras,
  );
  add(
    get,
    'by-group <group_id> [token]',
    'List the webhooks of a group, and of its things',
    show('listGroupWebhooks', listedOf('group_id')),
    extras,
  ).alias('group');
  add(
    get,
    'by-org <org_id> [token]',
    'List the webhooks of an org, and of its groups and their things',
    show('listOrgWebhooks', listedOf('org_id')),
    extras,
  );
}

function addUpdateDeleteAndPing(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <webhook_id> [token]',
    'Change a webhook, disable or enable it',
    change('updateWebhook', changed('webhook_id')),
    {
      fields: webhookChange,
      examples: [
        'webhooks update $WEBHOOK --endpoint https://example.com/other',
        'webhooks update $WEBHOOK --disabled true',
        `webhooks update '{"headers":{"X-Room":"3"}}' $WEBHOOK`,
      ],
    },
  );
  addDelete(group, add, 'webhook', {
    about: 'Delete a webhook',
    describe: (_call, ids) => counted(ids.length, 'webhook'),
    remove: (call, ids) => call.ask('deleteWebhooks_delete', { body: { webhook_ids: ids } }),
    examples: [`webhooks delete $WEBHOOK`],
  });
  add(
    group,
    'ping <webhook_id> [token]',
    'Send a test message to a webhook',
    show('pingWebhook', of('webhook_id')),
  );
}

function addDeliveries(group: Command, add: Add): void {
  add(
    group,
    'deliveries <webhook_id> [token]',
    'List the attempts to deliver to a webhook, newest first',
    show('listWebhookDeliveries', (call) => ({
      ...of('webhook_id')(call),
      query: {
        ...call.settings.page,
        ...messageOf(call),
        ...timesOf(call),
        ...statusOf(call),
        ...outcomeOf(call),
      },
    })),
    {
      uses: [...pageFlags, 'from', 'to'],
      examples: ['webhooks deliveries $WEBHOOK --outcome failed --from 2026-11-21T10:00:00Z'],
    },
  )
    .option('--outcome <outcome>', 'delivered or failed')
    .option('--status <n>', 'that were answered with this status')
    .option('--message <id>', 'of this message');
}

function addMessage(group: Command, add: Add): void {
  add(
    group,
    'message <webhook_id> <message_id> [token]',
    'Show a message as a webhook gets it, for seven days',
    show('viewWebhookMessage', (call) => ({
      path: { id: call.id('webhook_id'), messageId: call.text('message_id') },
    })),
  );
}

function addReplay(group: Command, add: Add): void {
  add(
    group,
    'replay <webhook_id> [token]',
    'Deliver again: one message, those whose last attempt failed, or those of a time',
    async (call) => {
      const which = {
        ...messageOf(call),
        ...timesOf(call),
        ...(call.isOn('failed') ? { failed: true as const } : {}),
      };
      if (Object.keys(which).length === 0) {
        throw new UsageError('which? Give --failed, --message, or --from and --to');
      }
      const request = { ...of('webhook_id')(call), body: which };
      const { queued } = await call.ask('replayWebhook', request);
      call.tell(`${counted(queued, 'message')} will be delivered again`);
      await call.output.ok();
    },
    { uses: ['from', 'to'], examples: ['webhooks replay $WEBHOOK --failed'] },
  )
    .option('--failed', 'those whose last attempt failed')
    .option('--message <id>', 'one message');
}

function messageOf(call: Call): { message_id?: string } {
  const id = call.flag('message');
  return id === undefined ? {} : { message_id: id };
}

function statusOf(call: Call): { status?: number } {
  const status = call.flag('status');
  if (status === undefined) return {};
  if (/^[1-5]\d\d$/.test(status)) return { status: Number(status) };
  throw new UsageError('--status is an HTTP status, such as 500');
}

function outcomeOf(call: Call): { outcome?: 'delivered' | 'failed' } {
  const outcome = call.flag('outcome');
  if (outcome === undefined) return {};
  if (outcome === 'delivered' || outcome === 'failed') return { outcome };
  throw new UsageError('--outcome is delivered or failed');
}

function timesOf(call: Call): Pick<Replay, 'from' | 'to'> {
  const { from, to } = call.settings.filters;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
