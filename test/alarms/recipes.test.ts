import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEstate, createThings } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const guide = readFileSync(join(import.meta.dirname, '../../infra/guide/alarms.md'), 'utf8');

/** The rules of the guide by their names. */
const recipes = new Map(
  [...guide.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text = '']) => {
    const rule: { name: string } = JSON.parse(text);
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
];

let fleet: Fleet;
let as: string;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  as = `Bearer ${fleet.token}`;
});

afterAll(() => fleet.close());

/** The states of the alarms of a group's rule, the oldest first. */
async function statesOf(groupId: string, ruleId: string): Promise<string[]> {
  const { body } = await fleet.call('GET', `/groups/${groupId}/alarms?rule_id=${ruleId}&dir=asc`);
  return Object(body).alarms.map(({ state }: { state: string }) => state);
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

  it('about silence is taken as it stands', async () => {
    const { groupId } = await createEstate(as);
    for (const recipe of ['Silent device', 'Gateway down']) {
      const { status } = await fleet.call('POST', `/groups/${groupId}/rules`, recipes.get(recipe));
      expect(status).toBe(201);
    }
  });

  it('is tried, each that has a rule', () => {
    const tried = new Set([...cases.map(([name]) => name), 'Silent device', 'Gateway down']);
    expect([...recipes.keys()].filter((name) => !tried.has(name))).toEqual([]);
  });
});
