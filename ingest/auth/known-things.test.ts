import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CachedThing } from '../../schemas/thing-cache.ts';
import { uuidFromRowBinary } from '../codecs/row-binary.ts';
import { KnownThings } from './known-things.ts';

const lookupOf = (credential: string) => createHash('sha256').update(credential).digest('hex');

const thing = (more: Partial<CachedThing> = {}): CachedThing => ({
  id: randomUUID(),
  config: {},
  hasWebhooks: false,
  ...more,
});

/** What is remembered of a credential. */
function told(known: KnownThings, credential: string) {
  const found = known.get(credential);
  if (found === undefined) return undefined;
  const { config, hasWebhooks, publisher } = found;
  return { id: uuidFromRowBinary(Buffer.from(publisher), 0), config, hasWebhooks };
}

const credential = fc.integer({ min: 0, max: 40 }).map((at) => `Thing ${at}`);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ set: credential, hasWebhooks: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ forget: credential }) },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);

describe('the things that an edge remembers', () => {
  it('are those that were set and not forgotten', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const known = new KnownThings(64);
        const model = new Map<string, CachedThing>();
        for (const one of steps) {
          if (one === 'clear') {
            known.clear();
            model.clear();
          } else if ('set' in one) {
            const set = thing({ hasWebhooks: one.hasWebhooks });
            known.set(one.set, lookupOf(one.set), set);
            model.set(one.set, set);
          } else {
            known.forget(lookupOf(one.forget));
            model.delete(one.forget);
          }
        }
        expect(known.size).toBe(model.size);
        for (let at = 0; at <= 40; at++) {
          expect(told(known, `Thing ${at}`)).toEqual(model.get(`Thing ${at}`));
        }
      }),
    );
  });

  it('are as many as there is room for, the newest among them', () => {
    const known = new KnownThings(100);
    const all = Array.from({ length: 1_000 }, (_, at) => ({
      credential: `Thing ${at}`,
      set: thing(),
    }));
    for (const { credential: name, set } of all) {
      known.set(name, lookupOf(name), set);
      expect(told(known, name)).toEqual(set);
    }
    expect(known.size).toBe(100);
    const kept = all.filter(({ credential: name }) => known.get(name) !== undefined);
    expect(kept).toHaveLength(100);
    for (const { credential: name, set } of kept) expect(told(known, name)).toEqual(set);
    for (const { credential: name } of kept) known.forget(lookupOf(name));
    expect(known.size).toBe(0);
  });

  it('share a configuration for as long as one of them has it', () => {
    const known = new KnownThings(2);
    const config = { write: false };
    known.set('Thing a', lookupOf('a'), thing({ config }));
    known.set('Thing b', lookupOf('b'), thing({ config: { ...config } }));
    expect(known.get('Thing b')?.config).toBe(config);
    known.forget(lookupOf('a'));
    known.set('Thing c', lookupOf('c'), thing({ config: { ...config } }));
    expect(known.get('Thing c')?.config).toBe(config);
    known.forget(lookupOf('b'));
    known.forget(lookupOf('c'));
    known.set('Thing d', lookupOf('d'), thing({ config: { ...config } }));
    expect(known.get('Thing d')?.config).not.toBe(config);
    expect(known.get('Thing d')?.config).toEqual(config);
  });

  it('end with their certificates', () => {
    const known = new KnownThings(2);
    known.set('over', lookupOf('over'), thing({ until_ms: Date.now() - 1 }));
    known.set('not over', lookupOf('not over'), thing({ until_ms: Date.now() + 60_000 }));
    expect(known.get('over')).toBeUndefined();
    expect(known.get('not over')).toBeDefined();
  });

  it('may send one second of their rate at once, and then as it is earned', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.5, 1, 2.5, 3, 7, 10, 30),
        fc.array(fc.nat(700), { minLength: 1, maxLength: 100 }),
        (perSecond, pauses) => {
          const known = new KnownThings(1);
          known.set('Thing a', lookupOf('a'), thing());
          let now = 1_700_000_000_000;
          let tokens = Math.max(perSecond, 1);
          for (const pause of pauses) {
            now += pause;
            tokens = Math.min(Math.max(perSecond, 1), tokens + (pause / 1_000) * perSecond);
            const allowed = known.allows('Thing a', perSecond, now);
            // A millisecond more or less is nobody's.
            if (Math.abs(tokens - 1) > (2 / 1_000) * perSecond) expect(allowed).toBe(tokens >= 1);
            if (allowed) tokens -= 1;
          }
        },
      ),
    );
  });
});
