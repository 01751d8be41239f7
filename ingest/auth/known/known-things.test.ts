import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachedThing } from '../../../schemas/internal/thing-cache.ts';
import { uuidFromRowBinary, uuidToRowBinary } from '../../codecs/uuid.ts';
import { gatewayAt, heardBytes } from './heard-things.ts';
import { Credential } from '../credential.ts';
import { KnownThing, KnownThings } from './known-things.ts';

const plenty = 1024 ** 3;

const lookupOf = (text: string) => createHash('sha256').update(text).digest('hex');

const thing = (more: Partial<CachedThing> = {}): CachedThing => ({
  id: randomUUID(),
  places: [],
  config: {},
  hasWebhooks: false,
  hasRules: false,
  isGateway: false,
  ...more,
});

function read(known: KnownThings, name: string): KnownThing | undefined {
  const into = new KnownThing();
  return known.read(credentialOf(name), into) ? into : undefined;
}

/** What is remembered of a credential. */
function told(known: KnownThings, name: string) {
  const found = read(known, name);
  if (found === undefined) return undefined;
  const { config, hasWebhooks, publisher } = found;
  return { id: uuidFromRowBinary(Buffer.from(publisher), 0), config, hasWebhooks };
}

const kinds = ['internal', 'external', 'certificate'] as const;
/** Three of different kinds have the same key. Every fifth is a long one, and every seventh has characters that no byte holds. */
function nameOf(at: number): string {
  const number = Math.floor(at / kinds.length);
  const long = number % 5 === 0 ? 'long'.repeat(20) : '';
  return `${kinds[at % kinds.length]} ${number}${long}${number % 7 === 0 ? 'ключ' : ''}`;
}
function credentialOf(name: string): Credential {
  const kind = kinds.find((one) => name.startsWith(`${one} `));
  return kind === undefined
    ? new Credential('internal', name)
    : new Credential(kind, name, kind.length + 1);
}
const credential = fc.integer({ min: 0, max: 40 }).map(nameOf);
const profile = fc.integer({ min: 0, max: 7 });
/** Four groups of two profiles each, two orgs of two groups each. */
const placesOf = (at: number): string[] =>
  ['profile', 'group', 'org'].map((kind, depth) => lookupOf(`${kind} ${at >> depth}`));
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ set: credential, hasWebhooks: fc.boolean(), profile }) },
  { weight: 3, arbitrary: fc.record({ forget: credential }) },
  { weight: 1, arbitrary: fc.record({ changed: profile, depth: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);

/** When, and by which gateway; zeros: by none. */
type Heard = { atMs: number; gateway: string };

const noGateway = '00000000-0000-0000-0000-000000000000';
const gatewayIds = [noGateway, randomUUID(), randomUUID()];

const hearing = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      heard: credential,
      once: fc.boolean(),
      by: fc.constantFrom(...gatewayIds),
    }),
  },
  { weight: 1, arbitrary: fc.record({ take: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: step },
);

/** What is taken, by thing. */
function take(known: KnownThings, thingsMax: number, into: Map<string, Heard>): number {
  const taken = Buffer.from(known.takeHeard(thingsMax));
  for (let at = 0; at < taken.length; at += heardBytes) {
    const id = uuidFromRowBinary(taken, at);
    const atMs = taken.readDoubleLE(at + 16);
    const gateway = uuidFromRowBinary(taken, at + gatewayAt);
    if (atMs > (into.get(id)?.atMs ?? 0)) into.set(id, { atMs, gateway });
  }
  return taken.length;
}

describe('the things that an edge remembers', () => {
  it('are those that were set and not forgotten', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const known = new KnownThings(64, plenty);
        const model = new Map<string, CachedThing>();
        for (const one of steps) {
          if (one === 'clear') {
            known.clear();
            model.clear();
          } else if ('set' in one) {
            const set = thing({ hasWebhooks: one.hasWebhooks, places: placesOf(one.profile) });
            known.set(credentialOf(one.set), lookupOf(one.set), set);
            model.set(one.set, set);
          } else if ('changed' in one) {
            const place = placesOf(one.changed)[one.depth] ?? '';
            known.forget(place);
            for (const [name, { places }] of model) if (places.includes(place)) model.delete(name);
          } else {
            known.forget(lookupOf(one.forget));
            model.delete(one.forget);
          }
        }
        for (let at = 0; at <= 40; at++) {
          const name = nameOf(at);
          const { id, config, hasWebhooks } = model.get(name) ?? {};
          const expected = id === undefined ? undefined : { id, config, hasWebhooks };
          expect(told(known, name)).toEqual(expected);
          known.forget(lookupOf(name));
        }
        expect([known.size, known.bytes]).toEqual([0, 0]);
      }),
    );
  });

  it('are told once for when they were heard last and by which gateway, whatever became of them since', () => {
    fc.assert(
      fc.property(fc.array(hearing, { maxLength: 200 }), (steps) => {
        const known = new KnownThings(8, plenty);
        const heard = new Map<string, Heard>();
        const tellings = new Map<string, Heard>();
        for (const [index, one] of steps.entries()) {
          const atMs = index + 1;
          if (one === 'clear') known.clear();
          else if ('take' in one) take(known, one.take, tellings);
          else if ('forget' in one) known.forget(lookupOf(one.forget));
          else if ('changed' in one) known.forget(placesOf(one.changed)[one.depth] ?? '');
          else if ('set' in one) {
            known.set(
              credentialOf(one.set),
              lookupOf(one.set),
              thing({ places: placesOf(one.profile) }),
            );
          } else {
            const found = read(known, one.heard);
            if (found === undefined) continue;
            if (one.once) found.leaveSlot();
            const gateway = new KnownThing();
            gateway.publisher.set(uuidToRowBinary(one.by));
            known.heard(found, atMs, one.by === noGateway ? undefined : gateway);
            const id = uuidFromRowBinary(Buffer.from(found.publisher), 0);
            heard.set(id, { atMs, gateway: one.by });
          }
        }
        while (take(known, 3, tellings) > 0);
        expect(tellings).toEqual(heard);
      }),
    );
  });

  it('are as many as there is room for, the newest among them', () => {
    const known = new KnownThings(100, plenty);
    const all = Array.from({ length: 1_000 }, (_, at) => ({
      credential: `Thing ${at}`,
      set: thing(),
    }));
    for (const { credential: name, set } of all) {
      known.set(credentialOf(name), lookupOf(name), set);
      expect(set).toMatchObject({ ...told(known, name) });
    }
    expect(known.size).toBe(100);
    const kept = all.filter(({ credential: name }) => read(known, name) !== undefined);
    expect(kept).toHaveLength(100);
    for (const { credential: name, set } of kept) {
      expect(set).toMatchObject({ ...told(known, name) });
    }
    for (const { credential: name } of kept) known.forget(lookupOf(name));
    expect(known.size).toBe(0);
  });

  it('share a configuration for as long as one of them has it', () => {
    const known = new KnownThings(2, plenty);
    const config = { write: false };
    known.set(credentialOf('Thing a'), lookupOf('a'), thing({ config }));
    known.set(credentialOf('Thing b'), lookupOf('b'), thing({ config: { ...config } }));
    expect(read(known, 'Thing b')?.config).toBe(config);
    known.forget(lookupOf('a'));
    known.set(credentialOf('Thing c'), lookupOf('c'), thing({ config: { ...config } }));
    expect(read(known, 'Thing c')?.config).toBe(config);
    known.forget(lookupOf('b'));
    known.forget(lookupOf('c'));
    known.set(credentialOf('Thing d'), lookupOf('d'), thing({ config: { ...config } }));
    expect(read(known, 'Thing d')?.config).not.toBe(config);
    expect(read(known, 'Thing d')?.config).toEqual(config);
  });

  it('end with their certificates', () => {
    const known = new KnownThings(2, plenty);
    known.set(credentialOf('ended'), lookupOf('ended'), thing({ until_ms: Date.now() - 1 }));
    known.set(credentialOf('valid'), lookupOf('valid'), thing({ until_ms: Date.now() + 60_000 }));
    expect(read(known, 'ended')).toBeUndefined();
    expect(read(known, 'valid')).toBeDefined();
  });

  it('take no more memory than they may, however large their configurations', () => {
    const bytesMax = 1024 ** 2;
    const known = new KnownThings(10_000, bytesMax);
    for (let at = 0; at < 1_000; at++) {
      const config = { transformer: { data_field: `${at}`.padEnd(1_000, 'x') } };
      known.set(credentialOf(`Thing ${at}`), lookupOf(`${at}`), thing({ config }));
      expect(known.bytes).toBeLessThanOrEqual(bytesMax);
      expect(told(known, `Thing ${at}`)?.config).toEqual(config);
    }
    expect(known.size).toBeGreaterThan(50);
    for (let at = 0; at < 1_000; at++) {
      known.set(credentialOf(`Thing ${at} ${'k'.repeat(4_000)}`), lookupOf(`long ${at}`), thing());
      expect(known.bytes).toBeLessThanOrEqual(bytesMax);
    }
    for (let at = 0; at < 1_000; at++) {
      known.forget(lookupOf(`${at}`));
      known.forget(lookupOf(`long ${at}`));
    }
    expect(known.size).toBe(0);
    expect(known.bytes).toBe(0);
  });
});

describe('the networks that a credential was accepted from', () => {
  it('are remembered: the last four, whatever comes in between', () => {
    const known = new KnownThings(10, plenty);
    known.set(credentialOf('Thing a'), lookupOf('Thing a'), thing(), 1);
    const found = read(known, 'Thing a') ?? new KnownThing();
    for (const network of [2, 3, 2, 1, 4]) known.acceptedFrom(found, network, 7);
    const remembered = () => [1, 2, 3, 4, 5].filter((one) => known.wasAcceptedFrom(found, one));
    expect(remembered()).toEqual([1, 2, 3, 4]);
    // The one that was longest ago.
    known.acceptedFrom(found, 5, 8);
    expect(remembered()).toEqual([1, 2, 4, 5]);
    expect(read(known, 'Thing a')?.way).toBe(8);
  });

  it('are not those of what had its place before', () => {
    const known = new KnownThings(1, plenty);
    known.set(credentialOf('Thing a'), lookupOf('Thing a'), thing(), 1);
    known.acceptedFrom(read(known, 'Thing a') ?? new KnownThing(), 2, 7);
    known.set(credentialOf('Thing b'), lookupOf('Thing b'), thing(), 3);
    const found = read(known, 'Thing b') ?? new KnownThing();
    expect([1, 2, 3].filter((one) => known.wasAcceptedFrom(found, one))).toEqual([3]);
    expect(found.way).toBe(0);
  });
});
