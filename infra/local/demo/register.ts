import type { Thing } from '../../../schemas/client/client.ts';
import { call, created, type Service } from '../../../schemas/client/service.ts';
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
export async function register(service: Service, all: readonly SiteThing[]): Promise<Registered[]> {
  const orgId = await ensureOrg(service);
  const things: Registered[] = [];
  for (const groupName of groupNames) {
    const groupId = await ensureGroup(service, orgId, groupName);
    const profileId = await ensureProfile(service, groupId);
    for (const thing of all.filter((one) => one.group === groupName)) {
      const { id, key = '' } = await ensureThing(service, profileId, thing);
      things.push({ ...thing, id, key });
    }
  }
  return things;
}

async function ensureOrg(service: Service): Promise<string> {
  const { orgs } = await call(service, 'listOrgs', { query: { name: orgName, limit: rows } });
  const body = { name: orgName, description: 'The site of npm run demo' };
  return named(orgs, orgName)?.id ?? created(service, 'createOrg', { body });
}

async function ensureGroup(service: Service, orgId: string, name: string): Promise<string> {
  const path = { id: orgId };
  const { groups } = await call(service, 'listOrgGroups', { path, query: { name, limit: rows } });
  const found = named(groups, name);
  if (found !== undefined) return found.id;
  const made = await call(service, 'createGroups', { path, body: [{ name }] });
  return onlyOf(made.groups).id;
}

async function ensureProfile(service: Service, groupId: string): Promise<string> {
  const [path, query] = [{ id: groupId }, { name: profileName, limit: rows }];
  const { profiles } = await call(service, 'listGroupProfiles', { path, query });
  const found = named(profiles, profileName);
  if (found !== undefined) return found.id;
  const made = await call(service, 'createProfiles', { path, body: [{ name: profileName }] });
  return onlyOf(made.profiles).id;
}

async function ensureThing(service: Service, profileId: string, thing: SiteThing): Promise<Thing> {
  const { name, type, metadata } = thing;
  const path = { id: profileId };
  const query = { name, limit: rows };
  const { things } = await call(service, 'listProfileThings', { path, query });
  const found = named(things, name);
  if (found !== undefined) return found;
  const made = await call(service, 'createThings', { path, body: [{ name, type, metadata }] });
  return onlyOf(made.things);
}

/** After the history is sent: a webhook gets whatever is received from then on. */
export async function registerWebhook(service: Service, thingId: string): Promise<void> {
  const { name, url } = webhook;
  const path = { id: thingId };
  const { webhooks } = await call(service, 'listThingWebhooks', { path });
  if (named(webhooks, name) === undefined) {
    await call(service, 'createWebhooks', { path, body: [{ name, url }] });
  }
}

function onlyOf<One>([one]: readonly One[]): One {
  if (one === undefined) throw new Error('nothing was made');
  return one;
}
