import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { Alarm } from '../../schemas/resources/alarm.ts';
import { createdAt, createEstate, createThings } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { mailsTo, noticesAt } from './world.ts';

const guide = readFileSync(join(import.meta.dirname, '../../infra/guide/alarms.md'), 'utf8');
const [beginning = '', itsRecipes = ''] = guide.split(/^## Recipes$/m);

type Recipe = { name: string; conditions: object[]; severity?: string };

/** The rules of the guide by their names. */
const recipes = new Map(
  [...itsRecipes.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text = '']) => {
    const rule: Recipe = JSON.parse(text);
    return [rule.name, rule];
  }),
);

type Values = [minute: number, name: string, value: number | string | boolean][];

/** Values of the minutes of the last hour, and how many alarms they raise: one that goes on, or has ended. */
const cases: [recipe: string, values: Values, alarms: ('firing' | 'ended')[]][] = [
  [
    'Cold room',
    [
      [0, 'temperature', 9],
      [3, 'temperature', 9],
      [4, 'temperature', 7],
    ],
    [],
  ],
  [
    'Cold room',
    [
      [0, 'temperature', 9],
      [3, 'temperature', 9],
      [5, 'temperature', 9],
      [7, 'temperature', 7],
    ],
    ['firing'],
  ],
  [
    'Cold room',
    [
      [0, 'temperature', 9],
      [5, 'temperature', 9],
      [9, 'temperature', 5],
    ],
    ['ended'],
  ],
  [
    'Door left open',
    [
      [0, 'door', true],
      [1, 'door', true],
      [2, 'door', false],
    ],
    [],
  ],
  [
    'Door left open',
    [
      [0, 'door', true],
      [1, 'door', true],
      [2, 'door', true],
      [3, 'door', false],
    ],
    ['ended'],
  ],
  [
    'Tank level',
    [
      [0, 'level', 19],
      [5, 'level', 22],
      [20, 'level', 24],
    ],
    ['firing'],
  ],
  [
    'Tank level',
    [
      [0, 'level', 19],
      [5, 'level', 26],
      [10, 'level', 27],
      [15, 'level', 28],
    ],
    ['ended'],
  ],
  [
    'Battery',
    [
      [0, 'battery', 3.2],
      [25, 'battery', 3.4],
      [50, 'battery', 3.2],
    ],
    [],
  ],
  [
    'Battery',
    [
      [0, 'battery', 3.2],
      [25, 'battery', 3.3],
      [50, 'battery', 3.2],
      [52, 'battery', 3.5],
    ],
    ['firing'],
  ],
  [
    'Pressure of the running pump',
    [
      [0, 'pressure', 5],
      [1, 'pump', 'off'],
    ],
    [],
  ],
  [
    'Pressure of the running pump',
    [
      [0, 'pressure', 5],
      [1, 'pump', 'on'],
      [2, 'pump', 'off'],
    ],
    ['ended'],
  ],
  [
    'Warms too fast',
    [
      [0, 'temperature.change', 1],
      [1, 'temperature.change', 3],
    ],
    ['firing'],
  ],
  [
    'Sensors disagree',
    [
      [0, 'difference', -2],
      [5, 'difference', -2],
      [10, 'difference', 2],
    ],
    ['firing'],
  ],
  [
    'Sensors disagree',
    [
      [0, 'difference', -2],
      [5, 'difference', 0.5],
      [10, 'difference', 2],
    ],
    [],
  ],
  [
    'Never cool for a day',
    [
      [0, 'temperature', 15],
      [30, 'temperature', 14],
    ],
    [],
  ],
  [
    'Counter stands still',
    [
      [0, 'pulses.change', 0],
      [15, 'pulses.change', 3],
      [30, 'pulses.change', 0],
      [45, 'pulses.change', 0],
    ],
    [],
  ],
  [
    'Counter stands still',
    [
      [0, 'pulses.change', 0],
      [15, 'pulses.change', 0],
      [30, 'pulses.change', 0],
      [45, 'pulses.change', 2],
    ],
    ['ended'],
  ],
];

let fleet: Fleet;
let receiver: Receiver;
let as: string;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  receiver = await openReceiver();
  as = `Bearer ${fleet.token}`;
});

afterAll(async () => {
  endMqttClients();
  await receiver.close();
  await fleet.close();
});

function recipeOf(name: string): Recipe {
  const found = recipes.get(name);
  if (found === undefined) throw new Error(`the guide has no recipe ${name}`);
  return found;
}

/** The alarms of a group's rule, the oldest first. */
async function alarmsOf(groupId: string, ruleId: string): Promise<Alarm[]> {
  const { body } = await fleet.call('GET', `/groups/${groupId}/alarms?rule_id=${ruleId}&dir=asc`);
  return Value.Parse(Type.Array(Alarm), Object(body).alarms);
}

async function statesOf(groupId: string, ruleId: string): Promise<string[]> {
  return (await alarmsOf(groupId, ruleId)).map(({ state }) => state);
}

describe('a recipe of the guide', () => {
  it.each(cases)('%s: %j raises %j', async (recipe, values, alarms) => {
    const estate = await createEstate(as);
    const [thing, other] = await createThings(as, estate.profileId, [
      { name: randomUUID(), type: 'sensor' },
      { name: randomUUID(), type: 'sensor' },
    ]);
    if (thing === undefined || other === undefined) throw new Error('no things were made');
    const rules = `/groups/${estate.groupId}/rules`;
    const made = await fleet.call('POST', rules, recipes.get(recipe));
    expect(made.status).toBe(201);
    const marker = { name: 'marker', conditions: [{ name: 'marker', when: '>', value: 0 }] };
    const markers = await fleet.call('POST', rules, marker);
    const [ruleId, markerId] = [made, markers].map(({ body }) => String(Object(body).id));
    const startS = Math.floor(Date.now() / 1_000) - 55 * 60;
    const send = (key: string, records: object[]) => fleet.publish(key, records);
    // An edge knows of a rule within a second: once this one fires, it knows of both.
    await eventually(async () => {
      await send(other.key, [{ n: 'marker', v: 1 }]);
      return (await statesOf(estate.groupId, markerId ?? '')).length === 1;
    });
    for (const [minute, name, value] of values) {
      const held = typeof value === 'string' ? { vs: value } : { v: value };
      const kind = typeof value === 'boolean' ? { vb: value } : held;
      await send(thing.key, [{ n: name, t: startS + minute * 60, ...kind }]);
    }
    // The sink reads in order: what came before this has been looked at then.
    await send(thing.key, [{ n: 'marker', v: 1 }]);
    await eventually(async () => (await statesOf(estate.groupId, markerId ?? '')).length === 2);
    const states = await statesOf(estate.groupId, ruleId ?? '');
    expect(states.map((state) => (state === 'ended' ? 'ended' : 'firing'))).toEqual(alarms);
  });

  it.each([
    ['Never cool for a day', 'temperature', 12, [15, 14, 15, 13], 1],
    ['Never cool for a day', 'temperature', 12, [15, 14, 11, 13], 0],
    ['Battery', 'battery', 6, [3.5, 3.5, 3.2, 3.2], 1],
    ['Battery', 'battery', 6, [3.5, 3.5, 3.2, 3.4, 3.2], 0],
  ])('%s: %s each %i hours as %j raises %i', async (recipe, name, hours, values, alarms) => {
    const thing = await fleet.thing();
    const startS = Math.floor(Date.now() / 1_000) - 47 * 3_600;
    const records = values.map((v, at) => ({ n: name, t: startS + at * hours * 3_600, v }));
    await fleet.publish(thing.key, records);
    await eventually(async () => (await fleet.stored(thing.id)) === values.length);
    // A record that is older than an hour raises nothing as it comes: a preview tries it.
    const { name: _, severity: __, ...rule } = recipeOf(recipe);
    const body = { ...rule, thing_ids: [thing.id] };
    const previewed = await fleet.call('POST', `/groups/${thing.groupId}/rules/preview`, body);
    expect(previewed.status).toBe(200);
    const found = Object(previewed.body).things.map(({ total }: { total: number }) => total);
    expect(found).toEqual(alarms === 0 ? [] : [alarms]);
  });

  it('is tried, each that has a rule', () => {
    const tried = new Set([...cases.map(([name]) => name), 'Silent device', 'Gateway down']);
    expect([...recipes.keys()].filter((name) => !tried.has(name))).toEqual([]);
  });
});

/** Edges, and the workers that look, take some seconds to say what was heard. */
const silenceMsMax = 90_000;

describe('the recipes of silence', () => {
  it('fire for a gateway that sends nothing, and not for one that sends for its devices', async () => {
    const estate = await createEstate(as);
    const path = `/groups/${estate.groupId}`;
    const profile = await createdAt(`${path}/profiles`, as, [{ name: 'gateways' }]);
    const [quiet, busy] = await createThings(as, profile, [
      { name: 'quiet', type: 'gateway' },
      { name: 'busy', type: 'gateway' },
    ]);
    if (quiet === undefined || busy === undefined) throw new Error('no gateways were made');
    const [down, silent] = await Promise.all(
      [{ ...recipeOf('Gateway down'), profile_id: profile }, recipeOf('Silent device')].map(
        async (recipe) => {
          // As it stands, and then with the shortest time.
          const { status, body } = await fleet.call('POST', `${path}/rules`, recipe);
          expect(status).toBe(201);
          const id = String(Object(body).id);
          expect((await fleet.call('PUT', `/rules/${id}`, { for: 10 })).status).toBe(200);
          return id;
        },
      ),
    );
    const [byBusy, byQuiet] = await Promise.all(
      [busy, quiet].map(async ({ key }) => (await connectMqtt(key, 5)).client),
    );
    const speak = (client: typeof byBusy) =>
      client?.publishAsync(`things/${estate.thingId}/messages`, '[{"n":"t","v":1}]', {
        qos: 1,
        properties: { contentType: 'application/senml+json' },
      });
    const alarms = async (ruleId = '') =>
      (await alarmsOf(estate.groupId, ruleId)).map(({ thing_name, state }) => [thing_name, state]);
    await eventually(
      async () => {
        await speak(byBusy);
        expect(await alarms(down)).toEqual([['quiet', 'firing']]);
        expect(await alarms(silent)).toEqual([['quiet', 'firing']]);
      },
      silenceMsMax,
      500,
    );
    await eventually(
      async () => {
        await speak(byBusy);
        await speak(byQuiet);
        expect(await alarms(down)).toEqual([['quiet', 'ended']]);
        expect(await alarms(silent)).toEqual([['quiet', 'ended']]);
      },
      silenceMsMax,
      500,
    );
  }, 200_000);
});

describe('the first rule of the guide', () => {
  it('has the alarm, the notice and the mail that the guide shows', async () => {
    const [, rule = ''] = /\/rules [^']*'(\{[^]*?^\})'$/m.exec(beginning) ?? [];
    const [anAlarm, aNotice] = [...beginning.matchAll(/^```json\n([^]*?)^```$/gm)].map(
      ([, text = '']): unknown => JSON.parse(text),
    );
    const [, aMail = ''] = /^```text\n([^]*?)^```$/m.exec(beginning) ?? [];
    const estate = await createEstate(as);
    const { groupId, profileId } = estate;
    expect((await fleet.call('PUT', `/groups/${groupId}`, { name: 'Crusher' })).status).toBe(200);
    const [thing] = await createThings(as, profileId, [{ name: 'Thermometer', type: 'sensor' }]);
    const path = `/${randomUUID()}`;
    const mail = `${randomUUID()}@example.com`;
    const hook = { name: 'night shift', url: receiver.url(path), messages: false };
    const { body: hooks } = await fleet.call('POST', `/groups/${groupId}/webhooks`, [hook]);
    const receivers = { webhook_ids: [String(Object(hooks)[0].id)], mails: [mail] };
    const made = await fleet.call('POST', `/groups/${groupId}/rules`, {
      ...JSON.parse(rule),
      receivers,
    });
    expect(made.status).toBe(201);
    await eventually(async () => {
      await fleet.publish(thing?.key ?? '', [{ n: 'temperature', u: 'Cel', v: 9.5 }]);
      expect(await statesOf(groupId, String(Object(made.body).id))).toEqual(['firing']);
    });
    const { body } = await fleet.call('GET', `/groups/${groupId}/alarms`);
    expect(withoutIds(Object(body).alarms[0])).toEqual(withoutIds(anAlarm));
    await eventually(() => expect(noticesAt(receiver, path)).toHaveLength(1));
    expect(withoutIds(noticesAt(receiver, path)[0])).toEqual(withoutIds(aNotice));
    const told = await eventually(() => {
      const [first] = mailsTo(mail);
      if (first === undefined) throw new Error('no mail came');
      return `Subject: ${first.subject}\n\n${first.text}`;
    });
    const port = new URL(system().apiUrl).port;
    const here = told.replaceAll(`localhost:${port}`, 'localhost:8080');
    expect(nameless(here).trim()).toBe(nameless(aMail).trim());
  });
});

/** A text with one id and one time for all. */
const nameless = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32}\b/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\d(T| )\d\d(:|%3A)\d\d(:|%3A)\d\d(\.\d{3}Z)?/g, 'time');

const withoutIds = (value: unknown): unknown => JSON.parse(nameless(JSON.stringify(value)));
