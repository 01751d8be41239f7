import type { Millrace, Thing } from '../../../schemas/client/client.ts';
import { groupNames, orgName, type SiteThing, webhook } from './site.ts';

/** A thing of the site, as it is registered. */
export type Registered = SiteThing & { id: string; key: string };

const profileName = 'SenML sensors';
const rows = 200;

/** Lists find parts of names, so the page is searched for the whole one. */
function named<One extends { name: string }>(all: readonly One[], name: string): One | undefined {
  return all.find((one) => one.name === name);
}

/** Registers the site; whatever an earlier run made stays as it is. */
export async function register(
  client: Millrace,
  all: readonly SiteThing[],
): Promise<{ orgId: string; things: Registered[] }> {
  const orgId = await ensureOrg(client);
  const things: Registered[] = [];
  for (const groupName of groupNames) {
    const groupId = await ensureGroup(client, orgId, groupName);
    const profileId = await ensureProfile(client, groupId);
    for (const thing of all.filter((one) => one.group === groupName)) {
      const { id, key = '' } = await ensureThing(client, profileId, thing);
      things.push({ ...thing, id, key });
    }
  }
  return { orgId, things };
}

async function ensureOrg(client: Millrace): Promise<string> {
  const { orgs } = await client.call('listOrgs', { query: { name: orgName, limit: rows } });
  const body = { name: orgName, description: 'The site of npm run demo' };
  return named(orgs, orgName)?.id ?? client.create('createOrg', { body });
}

async function ensureGroup(client: Millrace, orgId: string, name: string): Promise<string> {
  const path = { id: orgId };
  const { groups } = await client.call('listOrgGroups', { path, query: { name, limit: rows } });
  const found = named(groups, name);
  if (found !== undefined) return found.id;
  const made = await client.call('createGroups', { path, body: [{ name }] });
  return onlyOf(made.groups).id;
}

async function ensureProfile(client: Millrace, groupId: string): Promise<string> {
  const [path, query] = [{ id: groupId }, { name: profileName, limit: rows }];
  const { profiles } = await client.call('listGroupProfiles', { path, query });
  const found = named(profiles, profileName);
  if (found !== undefined) return found.id;
  const made = await client.call('createProfiles', { path, body: [{ name: profileName }] });
  return onlyOf(made.profiles).id;
}

async function ensureThing(client: Millrace, profileId: string, thing: SiteThing): Promise<Thing> {
  const { name, type, metadata } = thing;
  const path = { id: profileId };
  const query = { name, limit: rows };
  const { things } = await client.call('listProfileThings', { path, query });
  const found = named(things, name);
  if (found !== undefined) return found;
  const made = await client.call('createThings', { path, body: [{ name, type, metadata }] });
  return onlyOf(made.things);
}

/** After the history is sent: a webhook gets whatever is received from then on. */
export async function registerWebhook(client: Millrace, thingId: string): Promise<void> {
  const { name, url } = webhook;
  const path = { id: thingId };
  const { webhooks } = await client.call('listThingWebhooks', { path });
  if (named(webhooks, name) === undefined) {
    await client.call('createWebhooks', { path, body: [{ name, url }] });
  }
}

function onlyOf<One>([one]: readonly One[]): One {
  if (one === undefined) throw new Error('nothing was made');
  return one;
}
