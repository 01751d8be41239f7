import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { at, call, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';

type Thing = { id: string; key: string };

let people: People;
let owner: Person;
let estate: Estate;
let heard: Thing[];
let silent: Thing;
/** Between the message of the first and that of the second. */
let between: string;

const afterMsMax = 5_000;

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  const [first, second, third] = await newThings('first', 'second', 'third');
  if (first === undefined || second === undefined || third === undefined) throw new Error('none');
  heard = [first, second];
  silent = third;
  await publish(first.key);
  await eventually(() => Date.now() > sentMs);
  between = new Date().toISOString();
  await eventually(() => Date.now() > Date.parse(between));
  await publish(second.key);
  await eventually(async () => (await seen(second)) !== null, afterMsMax * 2);
});

afterAll(() => people.close());

let sentMs = 0;

const newThings = (...names: string[]) =>
  createThings(
    owner.as,
    estate.profileId,
    names.map((name) => ({ name, type: 'device' })),
  );

async function publish(key: string, scheme = 'Thing', body: unknown = [{ n: 'a', v: 1 }]) {
  const answer = await call('POST', '/http/messages', {
    as: `${scheme} ${key}`,
    body,
    headers: { 'content-type': 'application/senml+json' },
  });
  sentMs = Date.now();
  expect(answer.status).toBe(202);
}

const view = ({ id }: Thing) => call('GET', `/things/${id}`, { as: owner.as });
const seen = async (thing: Thing) => at(await view(thing), 'last_seen');

describe('last_seen of a thing', () => {
  it('is right within five seconds', async () => {
    const [thing] = heard;
    const since = Date.now();
    await publish(thing?.key ?? '');
    const until = Date.now();
    await eventually(async () => {
      const seenMs = Date.parse(textAt(await view({ id: thing?.id ?? '', key: '' }), 'last_seen'));
      expect(seenMs).toBeGreaterThanOrEqual(since);
      expect(seenMs).toBeLessThanOrEqual(until);
    }, afterMsMax);
    // As the tests after this one have it.
    await people.rows('UPDATE things_seen SET seen_at = $2 WHERE thing_id = $1', [
      thing?.id,
      new Date(Date.parse(between) - 1),
    ]);
  });

  it('is right again after a clock stood ahead', async () => {
    const [thing] = await newThings('ahead');
    if (thing === undefined) throw new Error('none');
    await publish(thing.key);
    await eventually(async () => expect(await seen(thing)).not.toBeNull());
    await people.rows(
      `UPDATE things_seen SET seen_at = now() + interval '1 day' WHERE thing_id = $1`,
      [thing.id],
    );
    const since = Date.now();
    await publish(thing.key);
    const until = Date.now();
    await eventually(async () => {
      const seenMs = Date.parse(textAt(await view(thing), 'last_seen'));
      expect(seenMs).toBeGreaterThanOrEqual(since);
      expect(seenMs).toBeLessThanOrEqual(until);
    }, afterMsMax);
    await call('DELETE', `/things/${thing.id}`, { as: owner.as });
  });

  it('is written for many messages at once, however fast they come', async () => {
    const [chatty] = await newThings('chatty');
    if (chatty === undefined) throw new Error('none');
    const [senders, messagesOfEach] = [20, 50];
    await people.rows('CREATE SEQUENCE seen_writes MINVALUE 0', []);
    await people.rows(
      `CREATE FUNCTION count_seen() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         PERFORM nextval('seen_writes');
         RETURN NULL;
       END $$`,
      [],
    );
    await people.rows(
      `CREATE TRIGGER count_seen AFTER INSERT OR UPDATE ON things_seen FOR EACH ROW
       WHEN (NEW.thing_id = '${chatty.id}') EXECUTE FUNCTION count_seen()`,
      [],
    );
    try {
      const send = async () => {
        for (let sent = 0; sent < messagesOfEach; sent++) await publish(chatty.key);
      };
      await Promise.all(Array.from({ length: senders }, send));
      const since = Date.now();
      await publish(chatty.key);
      const until = Date.now();
      await eventually(async () => {
        const seenMs = Date.parse(textAt(await view(chatty), 'last_seen'));
        expect(seenMs).toBeGreaterThanOrEqual(since);
        expect(seenMs).toBeLessThanOrEqual(until);
      }, afterMsMax);
      const [counted] = await people.rows(`SELECT nextval('seen_writes')::int AS writes`, []);
      expect(counted?.['writes']).toBeGreaterThan(0);
      expect(counted?.['writes']).toBeLessThan((senders * messagesOfEach) / 50);
    } finally {
      await people.rows('DROP FUNCTION count_seen CASCADE', []);
      await people.rows('DROP SEQUENCE seen_writes', []);
      await call('DELETE', `/things/${chatty.id}`, { as: owner.as });
    }
  });

  it('is null for a thing that never sent, and for a new one', async () => {
    expect(await seen(silent)).toBeNull();
    const made = await call('POST', `/profiles/${estate.profileId}/things`, {
      as: owner.as,
      body: [{ name: randomUUID(), type: 'device' }],
    });
    expect(at(made, 'things', 0, 'last_seen')).toBeNull();
    const body = { thing_ids: [textAt(made, 'things', 0, 'id')] };
    expect((await call('PATCH', '/things', { as: owner.as, body })).status).toBe(204);
  });

  it('counts messages that are not stored, and those of an external key', async () => {
    const config = { write: false };
    const profiles = `/groups/${estate.groupId}/profiles`;
    const profileId = await createdAt(profiles, owner.as, [{ name: 'unstored', config }]);
    const key = randomUUID();
    const [thing] = await createThings(owner.as, profileId, [
      { name: 'unstored', type: 'device', external_key: key },
    ]);
    await publish(key, 'External');
    await eventually(async () => {
      expect(await seen(thing ?? silent)).not.toBeNull();
    }, afterMsMax);
    await call('DELETE', `/things/${thing?.id}`, { as: owner.as });
    const left = await people.rows('SELECT FROM things_seen WHERE thing_id = $1', [thing?.id]);
    expect(left).toEqual([]);
  });
});

describe('lists and searches of things', () => {
  const places = () => [
    '/things',
    `/groups/${estate.groupId}/things`,
    `/profiles/${estate.profileId}/things`,
    `/svcthings/orgs/${estate.orgId}/things`,
  ];

  /** The names that a list and its search give. */
  async function names(place: string, asked: Record<string, string>): Promise<unknown[]> {
    const query = new URLSearchParams(asked).toString();
    const list = await call('GET', `${place}?${query}`, { as: owner.as });
    const search = await call('POST', `${place}/search`, { as: owner.as, body: asked });
    expect([list.status, search.status]).toEqual([200, 200]);
    const [listed, searched] = [list, search].map((answer) =>
      [at(answer, 'things')].flat().map((thing) => [Object(thing).name, Object(thing).last_seen]),
    );
    expect(searched).toEqual(listed);
    expect(at(list, 'total')).toBe(listed?.length);
    return (listed ?? []).map(([name]) => name).filter((name) => name !== 'thing');
  }

  it('have it, and are sorted by it: things that never sent come first', async () => {
    for (const place of places()) {
      expect(await names(place, { order: 'last_seen', dir: 'desc' })).toEqual([
        'second',
        'first',
        'third',
      ]);
      expect(await names(place, { order: 'last_seen', dir: 'asc' })).toEqual([
        'third',
        'first',
        'second',
      ]);
    }
    const list = await call('GET', '/things?name=second', { as: owner.as });
    expect(at(list, 'things', 0, 'last_seen')).toMatch(/^\d{4}-.*\.\d{3}Z$/);
  });

  it('are filtered by it: things that never sent are silent', async () => {
    const ns = String(BigInt(Date.parse(between)) * 1_000_000n);
    for (const place of places()) {
      for (const since of [between, ns]) {
        expect(await names(place, { silent_since: since, order: 'name', dir: 'asc' })).toEqual([
          'first',
          'third',
        ]);
        expect(await names(place, { seen_since: since })).toEqual(['second']);
      }
    }
    const both = { seen_since: '2001-01-01T00:00:00Z', silent_since: between };
    expect(await names('/things', both)).toEqual(['first']);
    const echo = await call('GET', `/things?silent_since=${ns}`, { as: owner.as });
    expect(at(echo, 'silent_since')).toBe(ns);
  });

  it.each(['silent_since', 'seen_since'])('refuse a %s that is no time', async (name) => {
    for (const value of ['yesterday', '2026-13-01T00:00:00Z', '1e3']) {
      const answer = await call('GET', `/things?${name}=${value}`, { as: owner.as });
      expect([value, answer.status, at(answer, 'error')]).toEqual([
        value,
        400,
        expect.stringContaining(name),
      ]);
    }
  });
});
