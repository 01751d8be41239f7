import type { NewOrg, OrgChange } from '../client/openapi.ts';
import { having } from '../client/shape.ts';
import type { AddCommands } from '../command.ts';

export const addCommands: AddCommands = (group, add) => {
  add(group, 'create <JSON> [token]', 'Create an org', async (call) => {
    const { orgs } = call.as(call.settings.urls.auth);
    await call.output.created([await orgs.create(call.object('JSON', having<NewOrg>('name')))]);
  });

  const get = add(group, 'get <org_id> [token]', 'Show one org, or list them', async (call) => {
    await call.output.show(await call.as(call.settings.urls.auth).orgs.view(call.id('org_id')));
  });
  add(get, 'all [token]', 'List all orgs', async (call) => {
    const { urls, page, named } = call.settings;
    await call.output.show(await call.as(urls.auth).orgs.list({ ...page, ...named }));
  });
  add(get, 'by-id <org_id> [token]', 'Show one org', async (call) => {
    await call.output.show(await call.as(call.settings.urls.auth).orgs.view(call.id('org_id')));
  });

  add(group, 'update <JSON> <org_id> [token]', 'Change an org', async (call) => {
    await call
      .as(call.settings.urls.auth)
      .orgs.update(call.id('org_id'), call.object('JSON', having<OrgChange>()));
    await call.output.ok();
  });
  add(group, 'delete <org_id> [token]', 'Delete an org and all that is in it', async (call) => {
    await call.as(call.settings.urls.auth).orgs.delete(call.id('org_id'));
    await call.output.ok();
  });
};
