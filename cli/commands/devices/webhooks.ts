import type { Command } from 'commander';
import { having } from '../../../schemas/client/shape.ts';
import type { Call } from '../../invocation/call.ts';
import type { NewWebhook, Replay, WebhookChange } from '../../../schemas/client/generated/types.ts';
import type { Add, AddCommands } from '../../invocation/command.ts';
import {
  type Fields,
  json,
  type ListFilters,
  metadata,
  name,
  namedFilters,
  text,
  truth,
} from '../../input/fields.ts';
import { counted, takeAway } from '../../invocation/removal.ts';
import { pageFlags } from '../../input/flags.ts';
import { UsageError } from '../../input/usage.ts';

/** Only the secret has no flag: it must not be on the command line. JSON can also come from a pipe. */
const newWebhook: Fields<Omit<NewWebhook, 'secret'>> = {
  name,
  url: text('--endpoint <url>', 'where messages are sent'),
  headers: json('--headers <json>', `headers to send along: {"X-Room":"3"}`),
  metadata,
};
const webhookChange: Fields<Omit<WebhookChange, 'secret'>> = {
  ...newWebhook,
  disabled: truth('--disabled <true|false>', 'whether nothing is sent to it'),
};
const filters: ListFilters<'listThingWebhooks'> = namedFilters;

export const addCommands: AddCommands = (group, add) => {
  addCreate(group, add);
  addCreateForPlaces(group, add);
  addGet(group, add);
  addUpdateDeleteAndPing(group, add);
  addDeliveries(group, add);
  addReplay(group, add);
};

function addCreate(group: Command, add: Add): void {
  add(
    group,
    'create <JSON> <thing_id> [token]',
    'Send a copy of each message of a thing to a URL',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      const given = call.list('JSON', having<NewWebhook>('name', 'url'), 'webhooks');
      const made = await webhooks.create(call.id('thing_id'), given);
      await call.output.created(
        made.map(({ id }) => id),
        made,
      );
    },
    {
      fields: newWebhook,
      parent: { argument: 'thing_id', flags: '--thing <id>' },
      examples: [
        'webhooks create --name Alarms --endpoint https://example.com/hook --thing $THING',
        'webhooks create - $THING < webhook-with-secret.json',
      ],
    },
  );
}

function addCreateForPlaces(group: Command, add: Add): void {
  const places = [
    { of: 'group', summary: 'Send a copy of each message of all things of a group to a URL' },
    { of: 'org', summary: 'Send a copy of each message of all things of an org to a URL' },
  ] as const;
  for (const { of, summary } of places) {
    add(
      group,
      `create-for-${of} <JSON> <${of}_id> [token]`,
      summary,
      async (call) => {
        const { webhooks } = call.as(call.settings.urls.webhooks);
        const given = call.list('JSON', having<NewWebhook>('name', 'url'), 'webhooks');
        const made = await webhooks.createFor(of, call.id(`${of}_id`), given);
        await call.output.created(
          made.map(({ id }) => id),
          made,
        );
      },
      {
        fields: newWebhook,
        parent: { argument: `${of}_id`, flags: `--${of} <id>` },
        examples: [
          `webhooks create-for-${of} --name All --endpoint https://example.com/hook --${of} $${of.toUpperCase()}`,
        ],
      },
    );
  }
}

function addGet(group: Command, add: Add): void {
  const view = async (call: Call) => {
    const { webhooks } = call.as(call.settings.urls.webhooks);
    await call.output.show(await webhooks.view(call.id('webhook_id')));
  };
  const get = add(group, 'get <webhook_id> [token]', 'Show one webhook, or list them', view);
  add(get, 'by-id <webhook_id> [token]', 'Show one webhook', view);
  add(
    get,
    'by-thing <thing_id> [token]',
    'List the webhooks of a thing',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      await call.output.show(await webhooks.listOfThing(call.id('thing_id'), call.query()));
    },
    { fields: filters, uses: pageFlags },
  );
  add(
    get,
    'by-group <group_id> [token]',
    'List the webhooks of a group, and of its things',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      await call.output.show(await webhooks.listOfGroup(call.id('group_id'), call.query()));
    },
    { fields: filters, uses: pageFlags },
  ).alias('group');
  add(
    get,
    'by-org <org_id> [token]',
    'List the webhooks of an org, and of its groups and their things',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      await call.output.show(await webhooks.listOfOrg(call.id('org_id'), call.query()));
    },
    { fields: filters, uses: pageFlags },
  );
}

function addUpdateDeleteAndPing(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> <webhook_id> [token]',
    'Change a webhook, disable or enable it',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      await webhooks.update(call.id('webhook_id'), call.object('JSON', having<WebhookChange>()));
      await call.output.ok();
    },
    {
      fields: webhookChange,
      examples: [
        'webhooks update $WEBHOOK --endpoint https://example.com/other',
        'webhooks update $WEBHOOK --disabled true',
        `webhooks update '{"headers":{"X-Room":"3"}}' $WEBHOOK`,
      ],
    },
  );
  add(
    group,
    'delete <JSON|webhook_id> [token]',
    'Delete a webhook, or a list of them: \'["<webhook_id>"]\'',
    async (call) => {
      const ids = call.idOrIds('JSON|webhook_id');
      const what = counted(ids.length, 'webhook');
      await takeAway(call, 'remove', what, () =>
        call.as(call.settings.urls.webhooks).webhooks.delete(ids),
      );
    },
    { removes: true, examples: [`webhooks delete $WEBHOOK`] },
  );
  add(group, 'ping <webhook_id> [token]', 'Send a test message to a webhook', async (call) => {
    const { webhooks } = call.as(call.settings.urls.webhooks);
    await call.output.show(await webhooks.ping(call.id('webhook_id')));
  });
}

function addDeliveries(group: Command, add: Add): void {
  add(
    group,
    'deliveries <webhook_id> [token]',
    'List the attempts to deliver to a webhook, newest first',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      const status = call.flag('status');
      if (status !== undefined && !/^[1-5]\d\d$/.test(status)) {
        throw new UsageError('--status is an HTTP status, such as 500');
      }
      await call.output.show(
        await webhooks.deliveries(call.id('webhook_id'), {
          ...call.settings.page,
          ...messageOf(call),
          ...timesOf(call),
          ...(status === undefined ? {} : { status: Number(status) }),
          ...outcomeOf(call),
        }),
      );
    },
    {
      uses: [...pageFlags, 'from', 'to'],
      examples: ['webhooks deliveries $WEBHOOK --outcome failed --from 2026-11-21T10:00:00Z'],
    },
  )
    .option('--outcome <outcome>', 'delivered or failed')
    .option('--status <n>', 'that were answered with this status')
    .option('--message <id>', 'of this message');
}

function addReplay(group: Command, add: Add): void {
  add(
    group,
    'replay <webhook_id> [token]',
    'Deliver again: one message, those whose last attempt failed, or those of a time',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      const which = {
        ...messageOf(call),
        ...timesOf(call),
        ...(call.isOn('failed') ? { failed: true as const } : {}),
      };
      if (Object.keys(which).length === 0) {
        throw new UsageError('which? Give --failed, --message, or --from and --to');
      }
      const { queued } = await webhooks.replay(call.id('webhook_id'), which);
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
