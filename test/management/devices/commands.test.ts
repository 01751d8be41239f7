import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ThingType } from '../../../schemas/resources/thing.ts';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';

const people = new People();
const types = ['device', 'sensor', 'actuator', 'controller', 'gateway'] as const;
type Thing = { id: string; key: string };

let editor: Person;
let estate: Estate;
let things: Record<ThingType, Thing>;

const thing = async (name: string, type: ThingType = 'device'): Promise<Thing> => {
  const [made] = await createThings(editor.as, estate.profileId, [{ name, type }]);
  if (made === undefined) throw new Error('no thing was made');
  return made;
};

beforeAll(async () => {
  editor = await people.register();
  estate = await createEstate(editor.as);
  const made = await createThings(
    editor.as,
    estate.profileId,
    types.map((type) => ({ name: type, type })),
  );
  const [device, sensor, actuator, controller, gateway] = made;
  if (!device || !sensor || !actuator || !controller || !gateway) throw new Error('no things');
  things = { device, sensor, actuator, controller, gateway };
});

afterAll(() => people.close());

const send = (path: string, as: string, body: unknown = { command: 'open' }) =>
  call('POST', path, { as, body });

describe('a command to a thing', () => {
  it('waits for it, and shows who sent what and when it expires', async () => {
    const { id } = await thing('valve', 'actuator');
    const body = { command: 'open', params: { percent: 40.5 }, metadata: { ticket: '7' } };
    const sent = await send(`/http/things/${id}/commands/valve/north`, editor.as, body);
    expect(sent.status).toBe(202);
    const commandId = textAt(sent, 'id');
    const seen = await call('GET', `/commands/${commandId}`, { as: editor.as });
    expect(json(seen)).toEqual({
      ...body,
      id: commandId,
      thing_id: id,
      group_id: estate.groupId,
      subtopic: 'valve.north',
      state: 'queued',
      sender_type: 'user',
      sender_id: editor.id,
      created_at: expect.any(String),
      expires_at: textAt(sent, 'expires_at'),
      deliveries: 0,
    });
    const day = Date.parse(textAt(seen, 'expires_at')) - Date.parse(textAt(seen, 'created_at'));
    expect(day).toBe(86_400_000);
    const list = await call('GET', `/things/${id}/commands?state=queued`, { as: editor.as });
    expect([at(list, 'total'), at(list, 'commands', 0)]).toEqual([1, json(seen)]);
  });

  it('has ids in the order in which they were sent', async () => {
    const { id } = await thing('orderly');
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      ids.push(textAt(await send(`/things/${id}/commands`, editor.as), 'id'));
    }
    expect(ids).toEqual(ids.toSorted());
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('takes its subtopic from the path or from the body, not from both', async () => {
    const { id } = await thing('with subtopics');
    const inBody = { command: 'open', subtopic: 'a/b' };
    const sent = await send(`/things/${id}/commands`, editor.as, inBody);
    const seen = await call('GET', `/commands/${textAt(sent, 'id')}`, { as: editor.as });
    expect(at(seen, 'subtopic')).toBe('a.b');
    const both = await send(`/things/${id}/commands/c`, editor.as, inBody);
    expect([both.status, at(both, 'error')]).toEqual([
      400,
      'malformed entity specification: subtopic: stands in the path and in the body',
    ]);
    expect((await send(`/things/${id}/commands/a/%2A`, editor.as)).status).toBe(400);
  });

  it.each([
    [{}, 400, 'command is missing'],
    [{ command: '' }, 400, 'command must NOT have fewer than 1 characters'],
    [{ command: 'a\u0007b' }, 400, 'command must match'],
    [{ command: 'open', expires_in: 0 }, 400, 'expires_in must be >= 1'],
    [{ command: 'open', metadata: 'x' }, 400, 'metadata must be object,null'],
    [[{ command: 'open' }], 400, 'body must be object'],
  ])('is refused where it is none: %j', async (body, status, words) => {
    const answer = await send(`/things/${things.sensor.id}/commands`, editor.as, body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(words)]);
  });

  it('is JSON, and of no other type', async () => {
    const answer = await call('POST', `/http/things/${things.sensor.id}/commands`, {
      as: editor.as,
      raw: 'open',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(415);
  });

  it('expires, and is not listed as queued from then on', async () => {
    const { id } = await thing('late');
    const body = { command: 'open', expires_in: 1 };
    const commandId = textAt(await send(`/things/${id}/commands`, editor.as, body), 'id');
    await eventually(async () => {
      const seen = await call('GET', `/commands/${commandId}`, { as: editor.as });
      expect(at(seen, 'state')).toBe('expired');
    });
    const path = `/things/${id}/commands?state=queued`;
    expect(at(await call('GET', path, { as: editor.as }), 'total')).toBe(0);
    const withdrawn = await call('DELETE', `/commands/${commandId}`, { as: editor.as });
    expect([withdrawn.status, at(withdrawn, 'code')]).toEqual([409, 'conflict']);
  });

  it('is withdrawn while it is queued, and then gone', async () => {
    const { id } = await thing('hasty');
    const commandId = textAt(await send(`/things/${id}/commands`, editor.as), 'id');
    expect((await call('DELETE', `/commands/${commandId}`, { as: editor.as })).status).toBe(204);
    expect((await call('GET', `/commands/${commandId}`, { as: editor.as })).status).toBe(404);
  });

  it('finds room for a hundred, also where many come at once', async () => {
    const { id } = await thing('asleep');
    const answers = await Promise.all(
      Array.from({ length: 110 }, () => send(`/things/${id}/commands`, editor.as)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(100);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers['retry-after']).toBe('30');
    expect(refused?.text).toContain('100 commands wait for the thing');
  });
});

describe('a thing that commands', () => {
  const may: Readonly<Record<ThingType, readonly ThingType[]>> = {
    controller: ['sensor', 'actuator', 'device'],
    gateway: ['sensor', 'actuator', 'device'],
    device: ['device'],
    sensor: [],
    actuator: [],
  };

  it.each(types)('may by its type: %s', async (sender) => {
    const key = `Thing ${things[sender].key}`;
    const taken: ThingType[] = [];
    for (const receiver of types) {
      const answer = await send(`/http/things/${things[receiver].id}/commands`, key);
      if (answer.status === 202) taken.push(receiver);
      else
        expect([receiver, answer.status, at(answer, 'code')]).toEqual([receiver, 403, 'forbidden']);
    }
    expect(taken.toSorted()).toEqual([...may[sender]].toSorted());
    const group = await send(`/http/groups/${estate.groupId}/commands`, key);
    expect(group.status).toBe(may[sender].length > 0 ? 202 : 403);
  });

  it('does it in its own group only', async () => {
    const other = await createEstate(editor.as);
    const key = `Thing ${things.controller.key}`;
    for (const path of [`/things/${other.thingId}`, `/groups/${other.groupId}`]) {
      const answer = await send(`/http${path}/commands`, key);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('own group')]);
    }
  });

  it('is known by a key that is right', async () => {
    const answer = await send(`/http/things/${things.sensor.id}/commands`, 'Thing wrong');
    expect([answer.status, at(answer, 'code')]).toEqual([401, 'credential_unknown']);
  });
});

describe('a command to a group', () => {
  it('waits for each of its things but the sender, and all have what they share', async () => {
    const own = await createEstate(editor.as);
    const made = await createThings(editor.as, own.profileId, [
      { name: 'a', type: 'sensor' },
      { name: 'b', type: 'gateway' },
      { name: 'c', type: 'controller' },
    ]);
    const key = `Thing ${made[2]?.key ?? ''}`;
    const sent = await send(`/http/groups/${own.groupId}/commands/lights`, key, {
      command: 'off',
    });
    expect(json(sent)).toEqual({
      batch_id: expect.any(String),
      commands: 3,
      left_out: 0,
      expires_at: expect.any(String),
    });
    const path = `/groups/${own.groupId}/commands?batch_id=${textAt(sent, 'batch_id')}`;
    const list = await call('GET', path, { as: editor.as });
    const commands = Object(json(list)).commands;
    expect(commands.map((one: { thing_id: string }) => one.thing_id).toSorted()).toEqual(
      [own.thingId, made[0]?.id ?? '', made[1]?.id ?? ''].toSorted(),
    );
    expect(commands[0]).toMatchObject({ command: 'off', subtopic: 'lights', sender_type: 'thing' });
  });

  it('leaves out the things for which too many wait', async () => {
    const own = await createEstate(editor.as);
    await createThings(editor.as, own.profileId, [{ name: 'a', type: 'sensor' }]);
    await Promise.all(
      Array.from({ length: 100 }, () => send(`/things/${own.thingId}/commands`, editor.as)),
    );
    const sent = await send(`/groups/${own.groupId}/commands`, editor.as);
    expect([at(sent, 'commands'), at(sent, 'left_out')]).toEqual([1, 1]);
  });
});

describe('the audit log', () => {
  it('tells who sent a command, and who withdrew it', async () => {
    const { id } = await thing('watched', 'actuator');
    const commandId = textAt(await send(`/things/${id}/commands/a`, editor.as), 'id');
    await call('DELETE', `/commands/${commandId}`, { as: editor.as });
    const path = `/orgs/${estate.orgId}/audit?entity_id=${commandId}`;
    const entries = Object(json(await call('GET', path, { as: editor.as }))).entries;
    expect(entries).toMatchObject([
      {
        action: 'delete',
        kind: 'command',
        entity_name: 'watched',
        changes: { command: { from: 'open' }, thing_id: { from: id } },
      },
      {
        action: 'create',
        operation: 'commandThing_subtopic',
        actor_id: editor.id,
        group_id: estate.groupId,
        changes: { command: { to: 'open' }, thing_id: { to: id }, subtopic: { to: 'a' } },
      },
    ]);
  });

  it('has one entry of a command to a group', async () => {
    const sent = await send(`/groups/${estate.groupId}/commands`, await loginAdmin());
    const path = `/orgs/${estate.orgId}/audit?entity_id=${textAt(sent, 'batch_id')}`;
    const list = await call('GET', path, { as: editor.as });
    expect([at(list, 'total'), at(list, 'entries', 0, 'changes', 'things', 'to')]).toEqual([
      1,
      String(at(sent, 'commands')),
    ]);
  });
});

describe('a thing that goes', () => {
  it('takes its commands along', async () => {
    const { id } = await thing('short-lived');
    const commandId = textAt(await send(`/things/${id}/commands`, editor.as), 'id');
    await call('DELETE', `/things/${id}`, { as: editor.as });
    expect((await call('GET', `/commands/${commandId}`, { as: editor.as })).status).toBe(404);
  });

  it('to another group gets nothing that was meant for it in the former one', async () => {
    const { id } = await thing('moving');
    const to = await createEstate(editor.as);
    const commandId = textAt(await send(`/things/${id}/commands`, editor.as), 'id');
    await call('PATCH', `/things/${id}`, { as: editor.as, body: { profile_id: to.profileId } });
    const seen = await call('GET', `/commands/${commandId}`, { as: editor.as });
    expect(at(seen, 'group_id')).toBe(estate.groupId);
    await createdAt(`/orgs/${to.orgId}/groups`, editor.as, { name: 'another' });
  });
});
