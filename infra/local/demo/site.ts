import { readSeries } from './series.ts';

/**
 * The site of the demo: two cold stores. What each thing measures is a function of the time, so that a second run goes
 * on where the first one ended.
 */

const hour = 3_600;
const day = 24 * hour;

export type Value = number | string | boolean;

/** A series of a thing: `at` is its value at a time in seconds, or undefined where nothing was measured. */
export type Signal = {
  name: string;
  unit?: string;
  everySeconds: number;
  at: (seconds: number) => Value | undefined;
};

export type SiteThing = {
  name: string;
  group: string;
  type: 'sensor' | 'controller' | 'device' | 'gateway';
  metadata: Record<string, unknown>;
  signals: readonly Signal[];
  /** It was heard for the last time so many seconds before the first run. */
  silentSeconds?: number;
};

export const orgName = 'Northwind Cold Stores';
export const groupNames = ['Graz warehouse', 'Linz hub'] as const;
export const webhook = {
  name: 'Maintenance desk',
  // No such host can exist (RFC 2606 §2): each delivery fails, and the console says so.
  url: 'https://desk.northwind.example/messages',
  of: 'Cold room 2',
};

/** The things of the site. `now`, in seconds, is when the first run began: the outage lies before it. */
export function thingsAt(now: number): SiteThing[] {
  return [...thingsOfGraz(now), ...thingsOfLinz(now)];
}

const [graz, linz] = groupNames;
const grazPlace = { latitude: 47.0405, longitude: 15.4561 };
const linzPlace = { latitude: 48.2936, longitude: 14.3229 };

/** So many steps to the north and to the east of a place, each of ten metres or so. */
function near({ latitude, longitude }: typeof grazPlace, north: number, east: number) {
  const five = (degrees: number) => Math.round(degrees * 1e5) / 1e5;
  return { latitude: five(latitude + north * 1e-4), longitude: five(longitude + east * 1.4e-4) };
}

function thingsOfGraz(now: number): SiteThing[] {
  return [
    {
      name: 'Cold room 1',
      group: graz,
      type: 'sensor',
      metadata: { room: 1, target_celsius: 4, ...near(grazPlace, 0, 0) },
      signals: [
        { name: 'temperature', unit: 'Cel', everySeconds: 600, at: room(1, 4) },
        { name: 'humidity', unit: '%RH', everySeconds: 600, at: wave(2, 82, 4, 2) },
      ],
    },
    coldRoom2(now),
    {
      name: 'Cold room 2, door',
      group: graz,
      type: 'sensor',
      metadata: { room: 2, ...near(grazPlace, -1, 7) },
      signals: [{ name: 'open', everySeconds: 1_800, at: doorOpen }],
    },
    {
      name: 'Compressor A',
      group: graz,
      type: 'controller',
      metadata: { serves: ['Cold room 1', 'Cold room 2'], ...near(grazPlace, 5, 3) },
      signals: [
        {
          name: 'temperature',
          unit: 'Cel',
          everySeconds: 300,
          at: recorded('machine_temperature_system_failure', 300),
        },
        { name: 'state', everySeconds: hour, at: compressorState },
      ],
    },
    {
      name: 'Dock sensor 4',
      group: graz,
      type: 'sensor',
      metadata: { dock: 4, ...near(grazPlace, -5, 2) },
      signals: [],
    },
  ];
}

/** It had an outage. */
function coldRoom2(now: number): SiteThing {
  const outage = { from: now - 16 * day, to: now - 14 * day };
  const isOut = (at: number) => at > outage.from && at < outage.to;
  return {
    name: 'Cold room 2',
    group: graz,
    type: 'sensor',
    metadata: { room: 2, target_celsius: 2, ...near(grazPlace, 0, 6) },
    signals: [
      {
        name: 'temperature',
        unit: 'Cel',
        everySeconds: 600,
        // After the outage the room was warm.
        at: (at) => {
          const warm = at < outage.to ? 0 : 9 * Math.exp(-(at - outage.to) / (8 * hour));
          return isOut(at) ? undefined : rounded(room(3, 2)(at) + warm);
        },
      },
    ],
  };
}

function thingsOfLinz(now: number): SiteThing[] {
  return [
    {
      name: 'Freezer 1',
      group: linz,
      type: 'sensor',
      metadata: { target_celsius: -20, ...near(linzPlace, 0, 0) },
      signals: [{ name: 'temperature', unit: 'Cel', everySeconds: 600, at: room(5, -20) }],
    },
    {
      name: 'Freezer 2',
      group: linz,
      type: 'sensor',
      metadata: { target_celsius: -20, ...near(linzPlace, 0, 5) },
      signals: [
        { name: 'temperature', unit: 'Cel', everySeconds: 600, at: room(6, -20.5) },
        { name: 'battery', unit: '%EL', everySeconds: 6 * hour, at: drained(now - 30 * day) },
      ],
      silentSeconds: 2 * day,
    },
    {
      name: 'Roof weather',
      group: linz,
      type: 'device',
      metadata: { ...near(linzPlace, 1, 1) },
      signals: [
        {
          name: 'temperature',
          unit: 'Cel',
          everySeconds: hour,
          at: celsius(recorded('ambient_temperature_system_failure', hour)),
        },
      ],
    },
    {
      name: 'Yard gate',
      group: linz,
      type: 'gateway',
      metadata: { lanes: 2, ...near(linzPlace, -6, -5) },
      signals: [
        { name: 'occupancy', unit: '%', everySeconds: 300, at: recorded('occupancy_6005', 300) },
      ],
    },
  ];
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** From -1 to 1, the same for the same place and time. */
function noise(seed: number, at: number): number {
  const x = Math.sin(seed * 12.9898 + Math.floor(at / 60) * 78.233) * 43_758.5453;
  return (x - Math.floor(x)) * 2 - 1;
}

/** A daily wave around a mean. */
function wave(seed: number, mean: number, swing: number, rough: number) {
  return (at: number) =>
    rounded(mean + swing * Math.sin((at / day) * 2 * Math.PI + seed) + rough * noise(seed, at));
}

/** A cooled room: the compressor runs in turns, and the day is felt. */
function room(seed: number, target: number) {
  return (at: number) =>
    rounded(
      target +
        0.6 * Math.sin((at / day) * 2 * Math.PI + seed) +
        0.4 * Math.sin((at / (2 * hour)) * 2 * Math.PI) +
        0.15 * noise(seed, at),
    );
}

/** Open now and then in working hours. */
function doorOpen(at: number): boolean {
  const hourOfDay = (at % day) / hour;
  return hourOfDay > 6 && hourOfDay < 20 && noise(7, at) > 0.55;
}

function compressorState(at: number): string {
  if (Math.floor(at / hour) % 12 === 5) return 'defrost';
  return noise(8, at) > 0.7 ? 'idle' : 'running';
}

function drained(from: number) {
  return (at: number) => Math.max(0, Math.round(100 - ((at - from) / day) * 3.4));
}

/** A recorded series, again and again. */
function recorded(name: string, everySeconds: number) {
  const points = readSeries().find((series) => series.name === name)?.points ?? [];
  return (at: number) => points[Math.floor(at / everySeconds) % points.length]?.value;
}

function celsius(fahrenheit: (at: number) => number | undefined) {
  return (at: number) => {
    const value = fahrenheit(at);
    return value === undefined ? undefined : rounded((value - 32) / 1.8);
  };
}
