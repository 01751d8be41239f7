import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { at, call, json } from '../../support/api/http.ts';
import { createEstate, createThings, People, type Person } from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { contradictionsOf } from '../../support/messages/contradictions.ts';

const rounds = Number(process.env['FAULTS_POLLED_ROUNDS'] ?? 10_000);
const pollers = 24;
const pollEveryMs = 250;

const Page = Type.Object({
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  messages: Type.Array(Type.Unknown()),
});

type Poster = { id: string; key: string };
/** An org's reader, and the things that only they read. */
type Org = { reader: Person; things: Poster[] };

const pick = <T>(from: readonly [T, ...T[]]): T =>
  from[Math.floor(Math.random() * from.length)] ?? from[0];

it('whoever posts and polls until the total is there finds the messages on the same page', async () => {
  const people = new People();
  const orgs = await Promise.all(Array.from({ length: pollers }, () => createOrg(people)));
  const seen = { rounds: 0, pages: 0 };

  async function read(org: Org, format: string, query: string) {
    const path = `/reader/${format}?${query}`;
    const answer = await call('GET', path, { as: org.reader.as });
    expect([path, answer.status]).toEqual([path, 200]);
    const page = Value.Parse(Page, json(answer));
    const { messages, ...told } = page;
    const found = contradictionsOf({ ...told, rows: messages.length });
    expect([path, found, answer.text.slice(0, 500)]).toEqual([path, [], expect.anything()]);
    seen.pages += 1;
    return { ...page, answer };
  }

  /** Sends messages meanwhile, from others of the org. */
  const disturb = (org: Org) =>
    post(pick(asMany(org.things)), pick(['senml', 'json'] as const), `noise`, pick([1, 2, 3]));

  async function round(org: Org, number: number): Promise<void> {
    const format = pick(['senml', 'json'] as const);
    const thing = pick(asMany(org.things));
    const name = `round-${number}`;
    const count = pick([1, 2, 3, 5, 8]);
    const limit = pick([2, 5, 10, 1_000]);
    const one = pick([`publisher=${thing.id}&`, '']);
    const wide = pick([
      `publisher=${thing.id}`,
      'dir=asc',
      `offset=${pick([3, 100_000])}`,
      'name=noise',
    ]);
    await post(thing, format, name, count);
    await eventually(
      async () => {
        const [page] = await Promise.all([
          read(org, format, `${one}name=${name}&limit=${limit}`),
          read(org, format, `${wide}&limit=${pick([1, 5, 10])}`),
          disturb(org),
        ]);
        // A message is stored whole.
        expect([0, count]).toContain(page.total);
        if (page.total !== count) return false;
        expect(page.messages).toHaveLength(Math.min(count, limit));
        const names = page.messages.map((_message, i) =>
          format === 'senml'
            ? at(page.answer, 'messages', i, 'name')
            : at(page.answer, 'messages', i, 'payload', 'name'),
        );
        expect(new Set(names)).toEqual(new Set([name]));
        return true;
      },
      120_000,
      pollEveryMs,
    );
    seen.rounds += 1;
    if (seen.rounds % 1_000 === 0)
      process.stdout.write(`${seen.rounds} rounds, ${seen.pages} pages\n`);
  }

  let next = 0;
  await Promise.all(
    orgs.map(async (org) => {
      for (let number = next++; number < rounds; number = next++) await round(org, number);
    }),
  );
  process.stdout.write(`${seen.rounds} rounds, ${seen.pages} pages, no contradiction\n`);
  expect(seen.rounds).toBe(rounds);
  await people.close();
}, 0);

async function createOrg(people: People): Promise<Org> {
  const reader = await people.register();
  const { profileId } = await createEstate(reader.as);
  const names = ['a', 'b', 'c'].map((name) => ({ name, type: 'device' }));
  return { reader, things: await createThings(reader.as, profileId, names) };
}

function asMany<T>([first, ...others]: readonly T[]): [T, ...T[]] {
  if (first === undefined) throw new Error('there is none');
  return [first, ...others];
}

/** One message: a pack of so many records, or so many payloads. */
async function post(
  thing: Poster,
  format: 'senml' | 'json',
  name: string,
  count: number,
): Promise<void> {
  const body = Array.from({ length: count }, (_, value) =>
    format === 'senml' ? { n: name, v: value } : { name, level: value },
  );
  const type = format === 'senml' ? 'application/senml+json' : 'application/json';
  const as = `Thing ${thing.key}`;
  const answer = await call('POST', '/http/messages', {
    as,
    body,
    headers: { 'content-type': type },
  });
  expect(answer.status).toBe(202);
}
