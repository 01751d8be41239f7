import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type Answer, at, call, textAt } from '../../support/api/http.ts';
import { createEstate, type Estate, loginAdmin } from '../../support/api/people.ts';

/*
 * A page of one thing is sought where the thing's messages are if it sends evenly. These things do not.
 */

const base = 1_700_000_000;
const day = 86_400;

/** Seconds after `base`, of one record each, in the order of time. */
const things: Record<string, number[]> = {
  'much, and years later little': [...many(30, 0.5), day * 700, day * 800],
  'little, and much at once after years': [-day * 800, -day * 700, ...many(30, 0.5)],
  'all at one moment': many(30, 0),
  'with a clock that was wrong once each way': [300_000_000 - base, ...many(30, 60), 200_000_000],
  'each message in another month': many(30, 31 * day),
  'one message': [0],
  'no message': [],
};

function many(count: number, every: number): number[] {
  return Array.from({ length: count }, (_, i) => i * every);
}

const nameOf = (i: number) => `n${String(i).padStart(2, '0')}`;

let admin: string;
const estates = new Map<string, Estate>();

beforeAll(async () => {
  admin = await loginAdmin();
  for (const [kind, times] of Object.entries(things)) {
    const estate = await createEstate(admin);
    estates.set(kind, estate);
    if (times.length === 0) continue;
    const answer = await call('POST', '/http/messages', {
      as: `Thing ${estate.key}`,
      body: times.map((t, i) => ({ n: nameOf(i), bt: base, t, v: i })),
      headers: { 'content-type': 'application/senml+json' },
    });
    if (answer.status !== 202) throw new Error(answer.text);
  }
  await eventually(async () => {
    const all = await Promise.all(Object.keys(things).map(async (kind) => total(kind)));
    return String(all) === String(Object.values(things).map((times) => times.length));
  });
});

const read = (kind: string, query: string) =>
  call('GET', `/reader/senml?publisher=${estates.get(kind)?.thingId}&${query}`, { as: admin });

const total = async (kind: string) => at(await read(kind, 'limit=1'), 'total');

function namesIn(answer: Answer): string[] {
  const messages = at(answer, 'messages');
  const count = Array.isArray(messages) ? messages.length : 0;
  return Array.from({ length: count }, (_, i) => textAt(answer, 'messages', i, 'name'));
}

describe.each(Object.entries(things))('the pages of a thing: %s', (kind, times) => {
  const inOrder = {
    asc: times.map((_, i) => nameOf(i)),
    desc: times.map((_, i) => nameOf(i)).toReversed(),
  };

  it.each(['asc', 'desc'] as const)('are whole at each offset (%s)', async (dir) => {
    const pages = [4, 1_000].flatMap((limit) =>
      [0, 3, 28, 40].map((offset) => ({ limit, offset })),
    );
    const answers = await Promise.all(
      pages.map(({ limit, offset }) => read(kind, `dir=${dir}&limit=${limit}&offset=${offset}`)),
    );
    expect(answers.map(namesIn)).toEqual(
      pages.map(({ limit, offset }) => inOrder[dir].slice(offset, offset + limit)),
    );
    expect(answers.map((answer) => at(answer, 'total'))).toEqual(pages.map(() => times.length));
  });

  it.each(['asc', 'desc'] as const)('lead on to each other by their cursors (%s)', async (dir) => {
    const names: string[] = [];
    let next: unknown = '';
    while (typeof next === 'string') {
      const page = await read(kind, `dir=${dir}&limit=4${next === '' ? '' : `&cursor=${next}`}`);
      names.push(...namesIn(page));
      next = at(page, 'next');
    }
    expect(names).toEqual(inOrder[dir]);
  });
});
