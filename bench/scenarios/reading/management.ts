import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../../../test/support/fleet.ts';
import { atMost, info } from '../../harness/figures.ts';
import { median, percentile } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { amount, seconds } from '../../harness/load/durations.ts';
import { load } from '../../harness/load/wrk.ts';

const groups = amount(1_000, 50);
const thingsPerGroup = 100;
const mixedPerSecond = 200;
const mixedSeconds = seconds(60);

/** A large fleet, and the ids of its things and groups. */
type Estate = { groupIds: string[]; thingIds: string[] };

/** Managing 100,000 things in 1,000 groups, alone and beside an edge at half load. */
export const management: Scenario = async (bench) => {
  const { fleet } = bench;
  const estate = await createEstate(fleet);
  const thing = () => estate.thingIds[Math.floor(Math.random() * estate.thingIds.length)] ?? '';

  const view = await timeEach(300, () => ask(fleet, 'GET', `/things/${thing()}`));
  const list = await timeEach(100, () => ask(fleet, 'GET', '/things?limit=100'));
  const search = await timeEach(100, (at) =>
    ask(fleet, 'POST', '/things/search', { metadata: { batch: at % 100 }, limit: 100 }),
  );

  const edge = await bench.startEdge();
  const requestsPath = bench.requests(10);
  const loadEdge = (forSeconds: number, perSecond?: number) =>
    load({
      url: edge.url,
      requestsPath,
      connections: 64,
      seconds: forSeconds,
      ...(perSecond ? { perSecond } : {}),
    });
  const full = await loadEdge(seconds(5));
  const loading = loadEdge(mixedSeconds, full.requestsPerSecond / 2);
  const mixed = await mix(fleet, estate);
  await loading;
  await edge.stop();

  return [
    atMost('view a thing, p99', percentile(view, 0.99), 'ms', 10),
    atMost('list 100 of 100,000 with the total, median', median(list), 'ms', 30),
    info('list 100 of 100,000 with the total, p99', percentile(list, 0.99), 'ms'),
    atMost('metadata search, median', median(search), 'ms', 50),
    info('metadata search, p99', percentile(search, 0.99), 'ms'),
    info('mixed, a minute beside half load', mixed.perSecond, 'requests/s'),
    atMost('mixed, failed', mixed.failed, 'requests', 0),
    info('mixed, p99', percentile(mixed.times, 0.99), 'ms'),
  ];
};

async function createEstate(fleet: Fleet): Promise<Estate> {
  const org = await fleet.call('POST', '/orgs', { name: 'large' });
  const orgId = String(org.headers['location']).split('/').at(-1);
  const list = Array.from({ length: groups }, (_, at) => ({ name: `group ${at}` }));
  const made = await fleet.call('POST', `/orgs/${orgId}/groups`, list);
  const groupIds: string[] = Object(made.body).groups.map((group: unknown) => Object(group).id);
  const thingIds: string[] = [];
  for (const groupId of groupIds) {
    const profile = await fleet.call('POST', `/groups/${groupId}/profiles`, [{ name: 'profile' }]);
    const things = Array.from({ length: thingsPerGroup }, (_, at) => ({
      name: `thing ${at}`,
      type: 'sensor',
      metadata: { batch: at, serial: randomUUID(), place: { floor: at % 7 } },
    }));
    const [first] = Object(profile.body).profiles;
    const created = await fleet.createThings(Object(first).id, things);
    thingIds.push(...created.map(({ id }) => id));
  }
  return { groupIds, thingIds };
}

/** @throws when the API refuses. */
async function ask(
  fleet: Fleet,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<void> {
  const { status } = await fleet.call(method, path, body);
  if (status >= 400) throw new Error(`${method} ${path} answered ${status}`);
}

async function timeEach(turns: number, work: (at: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < turns + 20; at++) {
    const startedAt = performance.now();
    await work(at);
    if (at >= 20) times.push(performance.now() - startedAt);
  }
  return times;
}

/** A mix of management requests at fixed times, however long the responses take. */
async function mix(fleet: Fleet, { groupIds, thingIds }: Estate) {
  const any = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)] ?? '';
  const kinds: (() => Promise<void>)[] = [
    () => ask(fleet, 'GET', `/things/${any(thingIds)}`),
    () => ask(fleet, 'GET', `/groups/${any(groupIds)}/things?limit=50`),
    () => ask(fleet, 'PUT', `/things/${any(thingIds)}`, { metadata: { seen: Date.now() } }),
    () => ask(fleet, 'GET', `/groups/${any(groupIds)}`),
    () => ask(fleet, 'PUT', `/things/${any(thingIds)}`, { key: randomUUID() }),
    () => ask(fleet, 'POST', '/things/search', { metadata: { batch: 7 }, limit: 10 }),
  ];
  const times: number[] = [];
  let failed = 0;
  const under: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < mixedPerSecond * mixedSeconds; at++) {
    const due = startedAt + (at * 1_000) / mixedPerSecond;
    if (due > performance.now()) await delay(due - performance.now());
    const work = kinds[at % kinds.length];
    if (work === undefined) continue;
    // From its due time: a slow response must not delay the next request.
    const done = work().then(
      () => void times.push(performance.now() - due),
      () => void (failed += 1),
    );
    under.push(done);
  }
  await Promise.all(under);
  const elapsed = (performance.now() - startedAt) / 1_000;
  return { times, failed, perSecond: times.length / elapsed };
}
