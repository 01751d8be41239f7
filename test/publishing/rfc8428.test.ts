import { Encoder } from 'cbor-x';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

/** What is read back of a record, without what every record of the test shares. */
type Row = Record<string, unknown>;

const device = 'urn:dev:ow:10e2073a01080063';
const now = 'the time of receipt';

/** The examples of RFC 8428 §5.1, as they are printed there, and what they mean. */
const examples: [string, string, Row[]][] = [
  [
    '§5.1.1 a single datapoint',
    `[{"n":"${device}","u":"Cel","v":23.1}]`,
    [{ name: device, unit: 'Cel', time: now, value: 23.1 }],
  ],
  [
    '§5.1.2 multiple datapoints',
    `[{"bn":"${device}:","n":"voltage","u":"V","v":120.1},{"n":"current","u":"A","v":1.2}]`,
    [
      { name: `${device}:voltage`, unit: 'V', time: now, value: 120.1 },
      { name: `${device}:current`, unit: 'A', time: now, value: 1.2 },
    ],
  ],
  [
    '§5.1.2 multiple datapoints with times before the base time',
    `[{"bn":"urn:dev:ow:10e2073a0108006:","bt":1.276020076001e+09,"bu":"A","bver":5,
       "n":"voltage","u":"V","v":120.1},
      {"n":"current","t":-5,"v":1.2},{"n":"current","t":-4,"v":1.3},{"n":"current","t":-3,"v":1.4},
      {"n":"current","t":-2,"v":1.5},{"n":"current","t":-1,"v":1.6},{"n":"current","v":1.7}]`,
    [
      { name: 'urn:dev:ow:10e2073a0108006:voltage', unit: 'V', time: 1276020076.001, value: 120.1 },
      ...[1.2, 1.3, 1.4, 1.5, 1.6, 1.7].map((value, index) => ({
        name: 'urn:dev:ow:10e2073a0108006:current',
        unit: 'A',
        time: [
          1276020071.001, 1276020072.001, 1276020073.001, 1276020074.001, 1276020075.001,
          1276020076.001,
        ][index],
        value,
      })),
    ],
  ],
  [
    '§5.1.3 multiple measurements, which resolve to §5.1.4',
    `[{"bn":"${device}","bt":1.320067464e+09,"bu":"%RH","v":20},
      {"u":"lon","v":24.30621},{"u":"lat","v":60.07965},
      {"t":60,"v":20.3},{"u":"lon","t":60,"v":24.30622},{"u":"lat","t":60,"v":60.07965},
      {"t":120,"v":20.7},{"u":"lon","t":120,"v":24.30623},{"u":"lat","t":120,"v":60.07966},
      {"u":"%EL","t":150,"v":98},
      {"t":180,"v":21.2},{"u":"lon","t":180,"v":24.30628},{"u":"lat","t":180,"v":60.07967}]`,
    (
      [
        ['%RH', 1320067464, 20],
        ['lon', 1320067464, 24.30621],
        ['lat', 1320067464, 60.07965],
        ['%RH', 1320067524, 20.3],
        ['lon', 1320067524, 24.30622],
        ['lat', 1320067524, 60.07965],
        ['%RH', 1320067584, 20.7],
        ['lon', 1320067584, 24.30623],
        ['lat', 1320067584, 60.07966],
        ['%EL', 1320067614, 98],
        ['%RH', 1320067644, 21.2],
        ['lon', 1320067644, 24.30628],
        ['lat', 1320067644, 60.07967],
      ] as const
    ).map(([unit, time, value]) => ({ name: device, unit, time, value })),
  ],
  [
    '§5.1.5 multiple data types',
    `[{"bn":"${device}:","n":"temp","u":"Cel","v":23.1},{"n":"label","vs":"Machine Room"},
      {"n":"open","vb":false},{"n":"nfc-reader","vd":"aGkgCg"}]`,
    [
      { name: `${device}:temp`, unit: 'Cel', time: now, value: 23.1 },
      { name: `${device}:label`, time: now, string_value: 'Machine Room' },
      { name: `${device}:open`, time: now, bool_value: false },
      { name: `${device}:nfc-reader`, time: now, data_value: 'aGkgCg' },
    ],
  ],
  [
    '§5.1.6 a collection of resources',
    `[{"bn":"2001:db8::2/","bt":1.320078429e+09,"n":"temperature","u":"Cel","v":25.2},
      {"n":"humidity","u":"%RH","v":30},
      {"bn":"2001:db8::1/","n":"temperature","u":"Cel","v":12.3},{"n":"humidity","u":"%RH","v":67}]`,
    [
      { name: '2001:db8::2/temperature', unit: 'Cel', time: 1320078429, value: 25.2 },
      { name: '2001:db8::2/humidity', unit: '%RH', time: 1320078429, value: 30 },
      { name: '2001:db8::1/temperature', unit: 'Cel', time: 1320078429, value: 12.3 },
      { name: '2001:db8::1/humidity', unit: '%RH', time: 1320078429, value: 67 },
    ],
  ],
  [
    '§5.1.7 setting an actuator, after a record of base fields alone',
    `[{"bn":"${device}:"},{"n":"temp","u":"Cel","v":23.1},{"n":"heat","u":"/","v":1},
      {"n":"fan","u":"/","v":0}]`,
    [
      { name: `${device}:temp`, unit: 'Cel', time: now, value: 23.1 },
      { name: `${device}:heat`, unit: '/', time: now, value: 1 },
      { name: `${device}:fan`, unit: '/', time: now, value: 0 },
    ],
  ],
  [
    '§5.1.7 two lights turned off together',
    `[{"bt":1.320078429e+09,"bu":"/","n":"2001:db8::3","v":0.5},{"n":"2001:db8::4","v":0.5},
      {"n":"2001:db8::3","t":0.1,"v":0},{"n":"2001:db8::4","t":0.1,"v":0}]`,
    [
      { name: '2001:db8::3', unit: '/', time: 1320078429, value: 0.5 },
      { name: '2001:db8::4', unit: '/', time: 1320078429, value: 0.5 },
      { name: '2001:db8::3', unit: '/', time: 1320078429.1, value: 0 },
      { name: '2001:db8::4', unit: '/', time: 1320078429.1, value: 0 },
    ],
  ],
];

/** The rules of §4, one by one. */
const rules: [string, string, Row[]][] = [
  [
    '§4.1 a base value is added to each value',
    '[{"bn":"a","bt":1.4e9,"bv":10,"v":1.5},{"v":-2}]',
    [
      { name: 'a', time: 1.4e9, value: 11.5 },
      { name: 'a', time: 1.4e9, value: 8 },
    ],
  ],
  [
    '§4.1 a base sum is added to each sum, and a record may have a sum alone',
    '[{"bn":"a","bt":1.4e9,"bs":100,"s":1},{"n":"b","v":3,"s":2}]',
    [
      { name: 'a', time: 1.4e9, sum: 101 },
      { name: 'ab', time: 1.4e9, value: 3, sum: 102 },
    ],
  ],
  [
    '§4.1 base fields hold until they are set again',
    '[{"bn":"a/","bt":1.4e9,"bu":"V","n":"x","v":1},{"bn":"b/","n":"x","v":2},{"bu":"A","n":"y","v":3}]',
    [
      { name: 'a/x', unit: 'V', time: 1.4e9, value: 1 },
      { name: 'b/x', unit: 'V', time: 1.4e9, value: 2 },
      { name: 'b/y', unit: 'A', time: 1.4e9, value: 3 },
    ],
  ],
  [
    '§4.2 an update time stands beside the value',
    '[{"n":"a","bt":1.4e9,"v":1,"ut":60}]',
    [{ name: 'a', time: 1.4e9, value: 1, update_time: 60 }],
  ],
  [
    '§4.4 a version up to 10 is understood, and unknown fields are ignored',
    '[{"n":"a","bt":1.4e9,"bver":10,"v":1,"new":{"deep":[1,2]}}]',
    [{ name: 'a', time: 1.4e9, value: 1 }],
  ],
  [
    '§4.5.1 every character a name may have',
    '[{"n":"Az09-:./_","bt":1.4e9,"v":1}]',
    [{ name: 'Az09-:./_', time: 1.4e9, value: 1 }],
  ],
  [
    '§4.5.3 fractions of a second are kept to the digit',
    '[{"n":"a","t":1276020076.305,"v":1},{"n":"b","bt":1276020076.000001,"t":0.000002,"v":2}]',
    [
      { name: 'a', time: 1276020076.305, value: 1 },
      { name: 'b', time: 1276020076.000003, value: 2 },
    ],
  ],
  [
    'values are kept to the last bit',
    '[{"n":"a","bt":1.4e9,"v":1e-7},{"n":"b","v":1.7976931348623157e308},{"n":"c","v":0.1},{"n":"d","v":-12345678.9}]',
    [
      { name: 'a', time: 1.4e9, value: 1e-7 },
      { name: 'b', time: 1.4e9, value: 1.7976931348623157e308 },
      { name: 'c', time: 1.4e9, value: 0.1 },
      { name: 'd', time: 1.4e9, value: -12345678.9 },
    ],
  ],
];

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

const byText = (one: Row, other: Row) =>
  JSON.stringify(one, Object.keys(one).toSorted()).localeCompare(
    JSON.stringify(other, Object.keys(other).toSorted()),
  );

/** Sends a body and gives back what is stored of it, in an order of its own. */
async function sendAndRead(body: string | Uint8Array, count: number, contentType: string) {
  const thing = await fleet.thing();
  const before = Date.now() / 1_000;
  expect(await fleet.publish(thing.key, body, { contentType })).toMatchObject({ status: 202 });
  const after = Date.now() / 1_000;
  await eventually(async () => (await fleet.stored(thing.id)) === count);
  const rows = (await fleet.readSenml(thing.id)).map(({ publisher, protocol, time, ...row }) => {
    expect({ publisher, protocol }).toEqual({ publisher: thing.id, protocol: 'http' });
    const received = time >= before - 0.001 && time <= after + 0.001;
    return { ...row, time: received ? now : time };
  });
  return rows.toSorted(byText);
}

/** The labels of RFC 8428 §6, table 6. */
const labels: Record<string, number> = {
  bver: -1,
  bn: -2,
  bt: -3,
  bu: -4,
  bv: -5,
  bs: -6,
  n: 0,
  u: 1,
  v: 2,
  vs: 3,
  vb: 4,
  s: 5,
  t: 6,
  ut: 7,
  vd: 8,
};

/** Plain maps: neither the library's tag for them nor its records. */
const cbor = Object.assign(new Encoder({ useRecords: false, tagUint8Array: false }), {
  useTag259ForMaps: false,
});

/** The same pack as CBOR with integer labels; a data value is bytes there. */
function asCbor(json: string): Uint8Array {
  const records: Record<string, unknown>[] = JSON.parse(json);
  return cbor.encode(
    records.map((record) => {
      const entries = Object.entries(record).map(([name, value]): [unknown, unknown] => [
        labels[name] ?? name,
        name === 'vd' ? Buffer.from(String(value), 'base64url') : value,
      ]);
      return new Map(entries);
    }),
  );
}

// Each waits for the store more than for anything else.
describe.concurrent('RFC 8428, read back', () => {
  it.each([...examples, ...rules])('%s', async (_, body, rows) => {
    const read = await sendAndRead(body, rows.length, 'application/senml+json');
    expect(read).toEqual(rows.toSorted(byText));
  });

  it.each([...examples, ...rules])('%s, as CBOR', async (_, body, rows) => {
    const read = await sendAndRead(asCbor(body), rows.length, 'application/senml+cbor');
    expect(read).toEqual(rows.toSorted(byText));
  });

  it('§4.5.3 a time below 2^28 is relative to the time of receipt', async () => {
    const thing = await fleet.thing();
    const before = Date.now() / 1_000;
    await fleet.publish(thing.key, [
      { n: 'a', t: -3_600, v: 1 },
      { n: 'b', t: 60, v: 2 },
    ]);
    await eventually(async () => (await fleet.stored(thing.id)) === 2);
    const [a, b] = await fleet.readSenml(thing.id);
    expect(a?.time).toBeGreaterThanOrEqual(before - 3_600.001);
    expect(a?.time).toBeLessThan(before - 3_590);
    expect((b?.time ?? 0) - (a?.time ?? 0)).toBeCloseTo(3_660, 6);
  });

  it('a subtopic is kept with its parts joined by dots', async () => {
    const thing = await fleet.thing();
    await fleet.publish(thing.key, [{ n: 'a', v: 1 }], { subtopic: 'mill/wheel%20house/north' });
    await eventually(async () => (await fleet.stored(thing.id)) === 1);
    expect(await fleet.readSenml(thing.id)).toMatchObject([{ subtopic: 'mill.wheel house.north' }]);
  });
});
