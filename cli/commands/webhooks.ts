import { having } from '../client/shape.ts';
import type { Call } from '../call.ts';
import type { NewWebhook, WebhookChange } from '../client/openapi.ts';
import type { AddCommands } from '../command.ts';

export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> <thing_id> [token]',
    'Create webhooks: \'[{"name": "…", "url": "https://…", "headers": {…}}]\'',
    async (call) => {
      const { webhooks } = call.as(call.settings.urls.webhooks);
      const given = call.list('JSON', having<NewWebhook>('name', 'url'), 'webhooks');
      const made = await webhooks.create(call.id('thing_id'), given);
      await call.output.created(
        made.map(({ id }) => id),
        made,
      );
    },
  );

  const view = async (call: Call) => {
    const { webhooks } = call.as(call.settings.urls.webhooks);
    await call.output.show(await webhooks.view(call.id('webhook_id')));
  };
  const get = add(group, 'get <webhook_id> [token]', 'Show one webhook, or list them', view);
  add(get, 'by-id <webhook_id> [token]', 'Show one webhook', view);
  add(get, 'by-thing <thing_id> [token]', 'List the webhooks of a thing', async (call) => {
    const { urls, page } = call.settings;
    const { webhooks } = call.as(urls.webhooks);
    await call.output.show(await webhooks.listOfThing(call.id('thing_id'), page));
  });
  add(get, 'by-group <group_id> [token]', 'List the webhooks of a group', async (call) => {
    const { urls, page } = call.settings;
    const { webhooks } = call.as(urls.webhooks);
    await call.output.show(await webhooks.listOfGroup(call.id('group_id'), page));
  }).alias('group');

  add(group, 'update <JSON> <webhook_id> [token]', 'Change a webhook', async (call) => {
    const { webhooks } = call.as(call.settings.urls.webhooks);
    await webhooks.update(call.id('webhook_id'), call.object('JSON', having<WebhookChange>()));
    await call.output.ok();
  });
  add(group, 'delete <JSON> [token]', 'Delete webhooks: \'["<webhook_id>"]\'', async (call) => {
    await call.as(call.settings.urls.webhooks).webhooks.delete(call.ids('JSON'));
    await call.output.ok();
  });
};
