import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { system } from '../../support/system.ts';
import { openReceiver, type Received, type Receiver } from '../../webhooks/receiver.ts';
import { type Answer, at, call, json, textAt } from '../../support/api/http.ts';
import { inParallel } from '../../support/api/parallel.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';

/** Webhooks of groups and orgs, and what each copy says of its message. */

type Thing = { id: string; key: string };

let people: People;
let receiver: Receiver;
let owner: Person;
let editor: Person;
let estate: Estate;
/** In the other group of the org. */
let other: { groupId: string; profileId: string; thing: Thing };

beforeAll(async () => {
  people = new People();
  receiver = await openReceiver();
  owner = await people.register();
  estate = await createEstate(owner.as);
  editor = await people.member('group', estate.groupId, 'editor');
  const groupId = await createdAt(`/orgs/${estate.orgId}/groups`, owner.as, { name: 'other' });
  const profileId = await createdAt(`/groups/${groupId}/profiles`, owner.as, [{ name: 'other' }]);
  other = { groupId, profileId, thing: await newThing(profileId) };
});

afterAll(async () => {
  await receiver.close();
  await people.close();
});

async function newThing(profileId = estate.profileId): Promise<Thing> {
  const body = [{ name: randomUUID(), type: 'device' }];
  const [thing] = await createThings(owner.as, profileId, body);
  if (thing === undefined) throw new Error('no thing was made');
  return thing;
}

const newPath = () => `/${randomUUID()}`;

function create(place: string, path: string, members: object = {}, as = owner.as): Promise<Answer> {
  const body = [{ name: 'hook', url: receiver.url(path), ...members }];
  return call('POST', `/svcwebhooks/${place}/webhooks`, { as, body });
}

const ofGroup = () => `groups/${estate.groupId}`;

async function publish({ key }: Thing, name: string, subtopic = ''): Promise<void> {
  const answer = await call('POST', `/http/messages${subtopic}`, {
    as: `Thing ${key}`,
    body: [{ n: name, v: 1 }],
    headers: { 'content-type': 'application/senml+json' },
  });
  expect(answer.status).toBe(202);
}

const namesAt = (path: string): string[] =>
  receiver.at(path).map(({ body }) => /"n":"([^"]*)"/.exec(body.toString())?.[1] ?? '');

/** Publishes until a message arrives there; gives it. An edge learns of a change within a second. */
async function firstAt(path: string, thing: Thing): Promise<Received> {
  const before = receiver.at(path).length;
  return eventually(async () => {
    await publish(thing, 'first');
    const received = receiver.at(path)[before];
    if (received === undefined) throw new Error('nothing arrived');
    return received;
  });
}

/** Publishes until nothing of it arrives there any more. */
async function noneAt(path: string, thing: Thing, also: string): Promise<void> {
  await eventually(async () => {
    const name = randomUUID();
    await publish(thing, name);
    // What came with it is there: then it would be, too.
    await eventually(() => namesAt(also).includes(name));
    expect(namesAt(path)).not.toContain(name);
  });
}

describe('each delivery', () => {
  it('has the thing, the subtopic and the time of its message in headers', async () => {
    const path = newPath();
    const thing = await newThing();
    await create(`things/${thing.id}`, path);
    const since = Date.now();
    const plain = await firstAt(path, thing);
    expect(plain.headers).toMatchObject({
      'millrace-thing-id': thing.id,
      'user-agent': 'Millrace',
    });
    expect(plain.headers).not.toHaveProperty('millrace-subtopic');
    const receivedAt = String(plain.headers['millrace-received-at']);
    expect(receivedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(receivedAt)).toBeGreaterThanOrEqual(since);
    expect(Date.parse(receivedAt)).toBeLessThanOrEqual(Date.now());

    await publish(thing, 'deep', '/K%C3%BCche/oben%20100%25');
    await eventually(() => namesAt(path).includes('deep'));
    const deep = receiver.at(path).find(({ body }) => body.includes('deep'));
    expect(deep?.headers['millrace-subtopic']).toBe('K%C3%BCche.oben%20100%25');
    expect(decodeURIComponent(String(deep?.headers['millrace-subtopic']))).toBe('Küche.oben 100%');
  });

  it('has the same headers when it is replayed', async () => {
    const path = newPath();
    const thing = await newThing();
    const id = textAt(await create(`things/${thing.id}`, path), 0, 'id');
    await firstAt(path, thing);
    await publish(thing, 'again', '/a/b');
    await eventually(() => namesAt(path).includes('again'));
    const [first] = receiver.at(path).filter(({ body }) => body.includes('again'));
    const messageId = String(first?.headers['webhook-id']).split('_')[0];
    const replay = await call('POST', `/webhooks/${id}/replay`, {
      as: owner.as,
      body: { message_id: messageId },
    });
    expect(json(replay)).toEqual({ queued: 1 });
    await eventually(() => namesAt(path).filter((name) => name === 'again').length === 2);
    const [, second] = receiver.at(path).filter(({ body }) => body.includes('again'));
    for (const name of ['thing-id', 'subtopic', 'received-at'].map((one) => `millrace-${one}`)) {
      expect(second?.headers[name]).toBe(first?.headers[name]);
    }
  });
});

describe('the id of a request', () => {
  it('is on each attempt: the first, those after a failure and those of a replay', async () => {
    const path = newPath();
    const thing = await newThing();
    const id = textAt(await create(`things/${thing.id}`, path), 0, 'id');
    const first = await firstAt(path, thing);
    const ids = new Map<string, string>();
    for (const [address, requestId] of [
      [system().ingestUrl, 'of-mine/at=the.edge'],
      [system().apiUrl, 'of-mine/at=the.api'],
      [system().ingestUrl, ''],
    ] as const) {
      const answer = await fetch(`${address}/http/messages`, {
        method: 'POST',
        headers: {
          authorization: `Thing ${thing.key}`,
          'content-type': 'application/senml+json',
          ...(requestId === '' ? {} : { 'x-request-id': requestId }),
        },
        body: JSON.stringify([{ n: `named-${ids.size}`, v: 1 }]),
      });
      expect(answer.status).toBe(202);
      ids.set(`named-${ids.size}`, answer.headers.get('x-request-id') ?? '');
    }
    expect([...ids.values()].slice(0, 2)).toEqual(['of-mine/at=the.edge', 'of-mine/at=the.api']);
    await eventually(() => namesAt(path).filter((name) => ids.has(name)).length === 3);
    const messageOf = (name: string) => {
      const copy = receiver.at(path).find(({ body }) => body.includes(name));
      return String(copy?.headers['webhook-id']).split('_')[0] ?? '';
    };
    const requestsOf = async (messageId: string): Promise<unknown[]> => {
      const list = await call('GET', `/webhooks/${id}/deliveries?message_id=${messageId}`, {
        as: owner.as,
      });
      return [at(list, 'deliveries')].flat().map((one) => Object(one).request_id);
    };
    for (const [name, requestId] of ids) {
      await eventually(async () => expect(await requestsOf(messageOf(name))).toEqual([requestId]));
    }
    receiver.treat(path, (response) => void response.writeHead(500).end());
    const body = { message_id: messageOf('named-0') };
    await call('POST', `/webhooks/${id}/replay`, { as: owner.as, body });
    const repeated = ['of-mine/at=the.edge', 'of-mine/at=the.edge'];
    await eventually(async () => expect(await requestsOf(body.message_id)).toEqual(repeated));
    expect(await requestsOf(String(first.headers['webhook-id']).split('_')[0] ?? '')).toEqual([
      expect.any(String),
    ]);
  });
});

describe('a webhook of a group', () => {
  it('gets the messages of all its things, existing and new', async () => {
    const path = newPath();
    const [known, all] = [await newThing(), newPath()];
    await create(`things/${known.id}`, all);
    // The edge knows this thing, and that it has no webhook of its group.
    await firstAt(all, known);
    const made = await create(ofGroup(), path, {}, editor.as);
    expect(made.status).toBe(201);
    expect(json(made)).toEqual([
      {
        id: expect.any(String),
        name: 'hook',
        url: receiver.url(path),
        group_id: estate.groupId,
        headers: {},
        metadata: {},
      },
    ]);
    expect((await firstAt(path, known)).headers['millrace-thing-id']).toBe(known.id);
    const later = await newThing();
    await publish(later, 'later');
    await eventually(() => namesAt(path).includes('later'));

    // One of another group is not among them, until it is moved here; and again when it has left.
    const allOfOther = newPath();
    await create(`things/${other.thing.id}`, allOfOther);
    await noneAt(path, other.thing, await withFirst(allOfOther, other.thing));
    await move(other.thing, estate.profileId);
    await firstAt(path, other.thing);
    await move(other.thing, other.profileId);
    await noneAt(path, other.thing, allOfOther);

    const id = textAt(made, 0, 'id');
    const body = { webhook_ids: [id] };
    expect((await call('DELETE', '/webhooks', { as: editor.as, body })).status).toBe(204);
    await noneAt(path, known, all);
  });

  it('misses no thing that is created, or gets another key, at the same moment', async () => {
    const path = newPath();
    const changed = await newThing();
    const key = randomUUID();
    const work = [
      () => create(ofGroup(), path),
      () => call('PUT', `/things/${changed.id}`, { as: owner.as, body: { key } }),
    ];
    const fresh: Thing[] = [];
    const making = Array.from({ length: 20 }, () => async () => {
      const thing = await newThing();
      fresh.push(thing);
      // The edge looks its key up now, whatever is in progress.
      await publish(thing, 'early');
    });
    await inParallel(8, [...making.slice(0, 6), ...work, ...making.slice(6)], async (one) => {
      await one();
    });
    const things = [...fresh, { ...changed, key }];
    await eventually(async () => {
      const name = randomUUID();
      for (const thing of things) await publish(thing, name);
      const copies = () => namesAt(path).filter((one) => one === name).length;
      await eventually(() => expect(copies()).toBe(things.length));
    }, 20_000);
  });

  it('is listed with those of its things, and read and changed by permission', async () => {
    const viewer = await people.member('group', estate.groupId, 'viewer');
    const name = randomUUID();
    const id = textAt(
      await create(ofGroup(), newPath(), { name, secret: 's'.repeat(24) }),
      0,
      'id',
    );
    const twice = await create(ofGroup(), newPath(), { name });
    expect(twice.status).toBe(201);
    await create(`things/${estate.thingId}`, newPath(), { name });
    await create(`groups/${other.groupId}`, newPath(), { name });
    const list = `/groups/${estate.groupId}/webhooks?name=${name}`;
    expect(at(await call('GET', list, { as: viewer.as }), 'total')).toBe(3);
    const seen = await call('GET', `/webhooks/${id}`, { as: viewer.as });
    expect([seen.status, at(seen, 'group_id'), at(seen, 'secret')]).toEqual([
      200,
      estate.groupId,
      undefined,
    ]);
    const put = (as: string) => call('PUT', `/webhooks/${id}`, { as, body: { name: 'renamed' } });
    expect((await put(viewer.as)).status).toBe(403);
    expect((await put(editor.as)).status).toBe(200);
    const bodyOf = { webhook_ids: [id, textAt(twice, 0, 'id')] };
    const remove = (as: string) => call('PATCH', '/webhooks', { as, body: bodyOf });
    expect((await remove(viewer.as)).status).toBe(403);
    expect((await remove(editor.as)).status).toBe(204);
    expect((await call('GET', `/webhooks/${id}`, { as: owner.as })).status).toBe(404);
  });

  it('gets a ping without a thing, and replays of a time or of one message', async () => {
    const [path, theirs] = [newPath(), newPath()];
    const [one, two] = [await newThing(), await newThing()];
    const id = textAt(await create(ofGroup(), path), 0, 'id');
    await create(`groups/${other.groupId}`, theirs);
    expect((await call('POST', `/webhooks/${id}/ping`, { as: editor.as })).status).toBe(202);
    await eventually(() => receiver.at(path).length === 1);
    const [ping] = receiver.at(path);
    expect(JSON.parse(String(ping?.body))).toMatchObject({
      data: { webhook_id: id, group_id: estate.groupId },
    });
    expect(ping?.headers).not.toHaveProperty('millrace-thing-id');
    expect(ping?.headers).toHaveProperty('millrace-received-at');

    await firstAt(path, one);
    const foreign = await firstAt(theirs, other.thing);
    const from = new Date().toISOString();
    const name = randomUUID();
    for (const thing of [one, two, other.thing]) await publish(thing, name);
    await eventually(() => namesAt(theirs).includes(name));
    const replay = (body: object) =>
      call('POST', `/webhooks/${id}/replay`, { as: editor.as, body });
    expect(json(await replay({ from }))).toEqual({ queued: 2 });
    await eventually(() => namesAt(path).filter((n) => n === name).length === 4);
    // Both ends belong to the time, and a message may come in the very millisecond in which it begins.
    const minuteBefore = new Date(Date.parse(from) - 60_000).toISOString();
    expect(json(await replay({ from: minuteBefore, to: minuteBefore }))).toEqual({ queued: 0 });
    const ofForeign = String(foreign.headers['webhook-id']).split('_')[0];
    expect((await replay({ message_id: ofForeign })).status).toBe(404);
    const deliveries = await call('GET', `/webhooks/${id}/deliveries`, { as: editor.as });
    expect(Number(at(deliveries, 'total'))).toBeGreaterThan(0);
  });

  it('goes with its group', async () => {
    const groupId = await createdAt(`/orgs/${estate.orgId}/groups`, owner.as, { name: 'doomed' });
    const id = textAt(await create(`groups/${groupId}`, newPath()), 0, 'id');
    expect((await call('DELETE', `/groups/${groupId}`, { as: owner.as })).status).toBe(204);
    expect((await call('GET', `/webhooks/${id}`, { as: owner.as })).status).toBe(404);
  });

  it('is one of fifty at most, even when many are created at once', async () => {
    const groupId = await createdAt(`/orgs/${estate.orgId}/groups`, owner.as, { name: 'full' });
    const body = Array.from({ length: 20 }, () => ({ name: 'hook', url: receiver.url('/') }));
    const path = `/groups/${groupId}/webhooks`;
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => call('POST', path, { as: owner.as, body })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 409]);
  });
});

describe('a webhook of an org', () => {
  it('gets the messages of all groups, those that are made later too, and of no other org', async () => {
    const path = newPath();
    const foreign = await createEstate((await people.register()).as);
    const made = await create(`orgs/${estate.orgId}`, path);
    expect([made.status, at(made, 0, 'org_id'), at(made, 0, 'group_id')]).toEqual([
      201,
      estate.orgId,
      undefined,
    ]);
    await firstAt(path, { id: estate.thingId, key: estate.key });
    await firstAt(path, other.thing);
    const groupId = await createdAt(`/orgs/${estate.orgId}/groups`, owner.as, { name: 'late' });
    const profileId = await createdAt(`/groups/${groupId}/profiles`, owner.as, [{ name: 'late' }]);
    await publish(await newThing(profileId), 'late');
    await eventually(() => namesAt(path).includes('late'));
    await publish({ id: foreign.thingId, key: foreign.key }, 'foreign');
    await publish(other.thing, 'after');
    await eventually(() => namesAt(path).includes('after'));
    expect(namesAt(path)).not.toContain('foreign');

    const list = await call('GET', `/orgs/${estate.orgId}/webhooks?limit=200`, { as: owner.as });
    expect(list.text).toContain(textAt(made, 0, 'id'));
    const replay = await call('POST', `/webhooks/${textAt(made, 0, 'id')}/replay`, {
      as: owner.as,
      body: { from: new Date(Date.now() - 60_000).toISOString() },
    });
    expect(Number(at(replay, 'queued'))).toBeGreaterThan(3);
  });

  it('is read and changed by the owner of the org only', async () => {
    const id = textAt(await create(`orgs/${estate.orgId}`, newPath()), 0, 'id');
    const admin = await people.member('org', estate.orgId, 'admin');
    expect((await create(`orgs/${estate.orgId}`, newPath(), {}, admin.as)).status).toBe(403);
    const body = { webhook_ids: [id] };
    const tries = [
      call('GET', `/webhooks/${id}`, { as: admin.as }),
      call('PUT', `/webhooks/${id}`, { as: admin.as, body: { url: receiver.url('/theirs') } }),
      call('POST', `/webhooks/${id}/ping`, { as: editor.as }),
      call('DELETE', '/webhooks', { as: admin.as, body }),
    ];
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(403);
    expect((await call('DELETE', '/webhooks', { as: owner.as, body })).status).toBe(204);
  });
});

/** The path, once a message of the thing has arrived there. */
async function withFirst(path: string, thing: Thing): Promise<string> {
  await firstAt(path, thing);
  return path;
}

async function move({ id }: Thing, profileId: string): Promise<void> {
  const answer = await call('PATCH', `/things/${id}`, {
    as: owner.as,
    body: { profile_id: profileId },
  });
  expect(answer.status).toBe(200);
}
