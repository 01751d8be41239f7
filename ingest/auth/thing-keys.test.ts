import { randomBytes, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../infra/runtime/process/config.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { createKeyVault } from '../../infra/runtime/process/secrets.ts';
import { eventually } from '../../test/support/eventually.ts';
import { limits } from '../limits.ts';
import { credentialOfDer } from './credential.ts';
import { Guesses } from './guesses.ts';
import { KeyJournal, type KeyJournalTimes } from './journal/key-journal.ts';
import { parseSnapshot } from './journal/snapshot.ts';
import { KnownThing } from './known/known-things.ts';
import { OrgMeters } from '../rates/org-meters.ts';
import { ThingKeys } from './thing-keys.ts';
import type { LoadedThings } from './things-sql.ts';

const logger = createLog('test', 'silent');
const snapshot = parseSnapshot('10:10:');
/** Its profile, group and org. */
const places = ['a1', 'b2', 'c3'].map((digits) => digits.repeat(16));
const thing = {
  id: randomUUID(),
  places,
  config: {},
  hasWebhooks: false,
  hasRules: false,
  isGateway: false,
};

const newCertificate = () => credentialOfDer(randomBytes(90));

const never: KeyJournalTimes = {
  pollMs: 1e9,
  restAfterMs: 1e9,
  restMs: 1e9,
  freshMsMax: 1e9,
  gapMsMax: 1e9,
  rememberMs: 1e9,
};

/** Looks up among credentials that all mean the same; `asked` is how often Postgres was. */
async function open(
  meaning: ReturnType<LoadedThings['things']['get']>,
  changed: string[] = [],
  times = never,
) {
  // By a transaction that nothing below has seen.
  const changes = changed.map((lookup) => ({ lookup, xid: snapshot.xmax }));
  const journal = new KeyJournal({
    load: () => Promise.resolve({ snapshot, changes, end: undefined }),
    times,
    logger,
    onChange: (lookup) => keys.forget(lookup),
    onGap: () => undefined,
  });
  const counted = { asked: 0 };
  const keys: ThingKeys = new ThingKeys({
    lookup: createKeyVault(new Secret('secret of the test'.repeat(4))).lookup,
    load: (lookups) => {
      counted.asked += 1;
      const things: LoadedThings['things'] = new Map();
      for (const one of lookups) if (meaning !== undefined) things.set(one, meaning);
      return Promise.resolve({ snapshot, things });
    },
    // Never connected, so that it is never asked.
    redis: new Redis({ lazyConnect: true }),
    journal,
    guesses: new Guesses({ perMinuteMax: 20, networksMax: 10 }),
    deviceGuesses: new Guesses({ perMinuteMax: 5, networksMax: 10 }),
    meters: new OrgMeters(),
    limits: {
      knownMax: 100,
      knownBytesMax: 1e6,
      cachedBytesMax: 1e6,
      unknownMax: 100,
      unknownIdMs: 1e6,
      waitingMax: limits.waitingKeysMax,
      perLoadMax: limits.keysPerLoadMax,
    },
    logger,
  });
  await journal.start();
  return { keys, counted, journal, changes };
}

describe('an unknown credential', () => {
  it.each([
    ['unknown', undefined],
    ['expired', { kind: 'expired' }],
    ['revoked', { kind: 'revoked' }],
  ] as const)(
    '%s: PostgreSQL is asked once, and a network that brings many is refused',
    async (answer, meaning) => {
      const { keys, counted } = await open(meaning);
      const certificate = newCertificate();
      for (let time = 0; time < 10; time++) {
        expect(await keys.find(certificate, '192.0.2.1')).toEqual({ kind: answer });
      }
      expect(counted.asked).toBe(1);
      for (let other = 0; other < 30; other++) await keys.find(newCertificate(), '192.0.2.1');
      expect(counted.asked).toBe(11);
      expect(await keys.find(certificate, '192.0.2.1')).toEqual({ kind: 'spent' });
      expect(await keys.find(certificate, '198.51.100.1')).toEqual({ kind: answer });
      keys.forget(certificate.key);
      expect(await keys.find(certificate, '198.51.100.1')).toEqual({ kind: answer });
      expect(counted.asked).toBe(12);
    },
  );

  it('was known until its certificate expired', async () => {
    const until_ms = Date.now() + 3_000;
    const { keys } = await open({ kind: 'thing', thing: { ...thing, until_ms } });
    const certificate = newCertificate();
    expect(await keys.find(certificate, '192.0.2.1')).toMatchObject({ hasWebhooks: false });
    expect(keys.recall(certificate, new KnownThing())).toBe(true);
    await eventually(() => !keys.recall(certificate, new KnownThing()));
  });
});

it('a thing that was changed while the journal rested is not let in as it was before', async () => {
  const times = { ...never, pollMs: 1, restAfterMs: 10 };
  const { keys, counted, journal, changes } = await open({ kind: 'thing', thing }, [], times);
  const certificate = newCertificate();
  await keys.find(certificate, '192.0.2.1');
  await eventually(() => journal.isResting);
  changes.push({ lookup: certificate.key, xid: snapshot.xmax });
  expect(keys.recall(certificate, new KnownThing())).toBe(false);
  await keys.find(certificate, '192.0.2.1');
  expect(counted.asked).toBe(2);
  await journal.stop();
});

describe('a thing that was read before its profile, group or org changed', () => {
  it.each([[], ...places.map((place) => [place]), ['d4'.repeat(16)]])(
    'is asked for again (%s)',
    async (...changed) => {
      const { keys, counted } = await open({ kind: 'thing', thing }, changed);
      const certificate = newCertificate();
      for (let time = 0; time < 3; time++) await keys.find(certificate, '192.0.2.1');
      expect(counted.asked).toBe(changed.some((one) => places.includes(one)) ? 3 : 1);
    },
  );
});
