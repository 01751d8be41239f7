import { placesIn, withTextAt } from './bodies.ts';
import { hostileBodies, hostileParts, hostileValues } from './values.ts';

/** Numbers from a seed: the same ones each time. */
export type Dice = {
  /** At least 0 and below `end`. */
  below(end: number): number;
  oneOf<T>(list: readonly T[]): T;
};

const two32 = 2 ** 32;

/** Mulberry32: good enough to choose by, and fast. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / two32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    oneOf(list) {
      const one = list[below(list.length)];
      if (one === undefined) throw new Error('a choice of nothing');
      return one;
    },
  };
}

type Mutation = (body: Buffer, random: Dice) => Buffer;

const stretchBytesMax = 64;
const structural = Buffer.from('{}[]",:\\ \n0-eE.+tfn/\u0000');
/** What is large costs the sender most: the large ones come in their turn, not half of the time. */
const smallBytes = 4_096;
const [smallValues, largeValues] = [true, false].map((small) =>
  hostileValues.filter((text) => text.length <= smallBytes === small),
);
const largeOneIn = 500;

function rangeOf(body: Buffer, random: Dice): { from: number; to: number } {
  const from = random.below(body.length + 1);
  return { from, to: Math.min(body.length, from + 1 + random.below(stretchBytesMax)) };
}

const splice = (body: Buffer, from: number, to: number, between: Buffer) =>
  Buffer.concat([body.subarray(0, from), between, body.subarray(to)]);

/** Of bytes, whatever they mean. */
const ofBytes: readonly Mutation[] = [
  (body, random) => body.subarray(0, random.below(body.length + 1)),
  (body, random) => body.subarray(random.below(body.length + 1)),
  (body, random) => {
    const flipped = Buffer.from(body);
    if (flipped.length === 0) return flipped;
    const at = random.below(flipped.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return flipped;
  },
  (body, random) => {
    const { from, to } = rangeOf(body, random);
    return splice(body, from, to, Buffer.alloc(0));
  },
  (body, random) => {
    const { from, to } = rangeOf(body, random);
    return splice(body, to, to, body.subarray(from, to));
  },
  (body, random) => {
    const at = random.below(body.length + 1);
    return splice(body, at, at, Buffer.from([random.below(256)]));
  },
  (body, random) => {
    const at = random.below(body.length + 1);
    const byte = structural[random.below(structural.length)] ?? 0;
    return splice(body, at, at + random.below(2), Buffer.from([byte]));
  },
  (body, random) => {
    const one = rangeOf(body, random);
    const other = rangeOf(body, random);
    return splice(body, one.from, one.to, body.subarray(other.from, other.to));
  },
  (body, random) => {
    const depth = 1 + random.below(40);
    return Buffer.concat([Buffer.from('['.repeat(depth)), body, Buffer.from(']'.repeat(depth))]);
  },
  (_, random) => Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256))),
];

/** Makes bodies that are wrong in one way or several, out of good ones. Some are still well formed. */
export function malformedBody(goodBodies: readonly Good[], random: Dice): Buffer {
  if (random.below(largeOneIn) === 0) return Buffer.from(random.oneOf(hostileBodies));
  const good = random.oneOf(goodBodies);
  let body = good.bytes;
  if (good.value !== undefined && random.below(2) === 0) {
    const isLarge = random.below(largeOneIn) === 0;
    const values = (isLarge ? largeValues : smallValues) ?? hostileValues;
    const path = good.places[random.below(good.places.length)];
    if (path !== undefined) body = Buffer.from(withTextAt(good.value, path, random.oneOf(values)));
    if (random.below(2) === 0) return body;
  }
  for (let times = 1 + random.below(3); times > 0; times--) {
    body = random.oneOf(ofBytes)(body, random);
  }
  return body;
}

/** A good body: what it says, if it is JSON, and where something stands in it. */
export type Good = { bytes: Buffer; value: unknown; places: ReturnType<typeof placesIn> };

export function goodJson(value: unknown): Good {
  return { bytes: Buffer.from(JSON.stringify(value)), value, places: placesIn(value) };
}

export const goodBytes = (bytes: Buffer): Good => ({ bytes, value: undefined, places: [] });

const urlChars = 'abcXYZ0129-_.~!*()%/?&=;:@,+$';
const smallParts = hostileParts.filter((part) => part.length <= 1_000);

/** A path and query that are wrong somewhere: an id, a value, a name, or bytes of it all. */
export function malformedPath(path: string, queryNames: readonly string[], random: Dice): string {
  const [route = '', query = ''] = path.split('?');
  const parts = route.split('/');
  const ids = parts.flatMap((part, at) => (/[0-9a-f-]{20,}/i.test(part) ? [at] : []));
  const ways: (() => string)[] = [
    () => `${path}${query === '' ? '?' : '&'}${randomText(random)}`,
    () => {
      const name = queryNames.length === 0 ? randomText(random) : random.oneOf(queryNames);
      return `${route}?${name}=${random.oneOf(smallParts)}${query === '' ? '' : `&${query}`}`;
    },
  ];
  if (ids.length > 0) {
    ways.push(
      () => {
        const wrong = [...parts];
        wrong[random.oneOf(ids)] = random.oneOf(smallParts);
        return wrong.join('/');
      },
      () => {
        const wrong = [...parts];
        const at = random.oneOf(ids);
        const id = wrong[at] ?? '';
        const from = random.below(id.length);
        wrong[at] = `${id.slice(0, from)}${randomText(random)}${id.slice(from + 1)}`;
        return wrong.join('/');
      },
    );
  }
  return random.oneOf(ways)();
}

function randomText(random: Dice): string {
  const chars = Array.from({ length: 1 + random.below(12) }, () => {
    return random.below(4) === 0
      ? `%${random.below(256).toString(16).padStart(2, '0')}`
      : urlChars.charAt(random.below(urlChars.length));
  });
  return chars.join('');
}
