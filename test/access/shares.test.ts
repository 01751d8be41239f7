import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { away, type Built, buildApi, type GivenBudgets } from '../support/api/build.ts';
import { at, call } from '../support/api/http.ts';
import { createEstate, type Estate, People, type Person } from '../support/api/people.ts';

let people: People;
let owner: Person;
let estate: Estate;
let colleague: Person;
let stranger: Person;
let api: Built | undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  [colleague, stranger] = [
    await people.member('org', estate.orgId, 'viewer'),
    await people.register(),
  ];
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await api?.close();
  api = undefined;
});

afterAll(() => people.close());

/** An API whose budgets are these. */
async function listen(budgets: GivenBudgets): Promise<{ port: number; built: Built }> {
  const built = buildApi({}, {}, '/nowhere', { budgets });
  api = built;
  const address = await built.server.listen({ host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(address).port), built };
}

async function headerOf({ tokens }: Built, person: Person): Promise<string> {
  return `Bearer ${await tokens.issue({ userId: person.id, generation: 0 })}`;
}

/** Sends the head of a request whose body does not come. */
function begin(port: number, path: string, headers: Record<string, string | number>): Socket {
  const lines = Object.entries({ host: 'x', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('latin1').write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

const json = { 'content-type': 'application/json' };

async function heldOf({ server }: Built, budget: string): Promise<number> {
  const { payload } = await server.inject('/metrics');
  return Number(
    new RegExp(`^millrace_budget_held\\{budget="${budget}"\\} (\\d+)`, 'm').exec(payload)?.[1],
  );
}

describe('requests', () => {
  it('of a caller and of an org are limited, and others go on', async () => {
    const { port, built } = await listen({
      requests: { max: 8, perOrgMax: 3, perCallerMax: 2 },
    });
    const [mine, theirs, other] = [
      await headerOf(built, owner),
      await headerOf(built, colleague),
      await headerOf(built, stranger),
    ];
    const statusOf = async (authorization: string) => {
      const { statusCode, headers } = await built.server.inject({
        url: '/orgs',
        headers: { authorization },
      });
      return [statusCode, headers['retry-after']];
    };
    const hold = (authorization: string) =>
      begin(port, '/orgs', { ...json, authorization, 'content-length': 100 });
    const first = hold(mine);
    hold(mine);
    await eventually(async () => expect(await heldOf(built, 'requests')).toBe(2));
    expect(await statusOf(mine)).toEqual([429, '2']);
    expect(await statusOf(theirs)).toEqual([200, undefined]);
    hold(theirs);
    await eventually(async () => expect(await heldOf(built, 'requests')).toBe(3));
    expect(await statusOf(theirs)).toEqual([429, '2']);
    expect(await statusOf(other)).toEqual([200, undefined]);
    // Who leaves gives back what it held.
    first.destroy();
    await eventually(async () => expect(await statusOf(mine)).toEqual([200, undefined]));
    const { payload } = await built.server.inject('/metrics');
    expect(payload).toMatch(
      /millrace_budget_refused_total\{budget="requests",code="too_many"\} [1-9]/,
    );
  });

  it('of strangers leave room for authenticated callers and for health checks', async () => {
    const { port, built } = await listen({ requests: { max: 8, perCallerMax: 8 } });
    for (let i = 0; i < 2; i++) begin(port, '/tokens', { ...json, 'content-length': 100 });
    await eventually(async () => expect(await heldOf(built, 'requests')).toBe(2));
    const login = { method: 'POST', url: '/tokens', payload: {} } as const;
    expect((await built.server.inject(login)).statusCode).toBe(503);
    const authorization = await headerOf(built, owner);
    const known = await built.server.inject({ url: '/orgs', headers: { authorization } });
    expect(known.statusCode).toBe(200);
    expect((await built.server.inject('/health')).statusCode).toBe(200);
  });
});

describe('a connection', () => {
  const orgsAs = (authorization: string) =>
    `GET /orgs HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;

  /** Asks for the orgs and gives the answer's status. */
  async function ask(socket: Socket, authorization: string): Promise<number> {
    socket.write(orgsAs(authorization));
    const [answer] = await once(socket, 'data');
    return Number(String(answer).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  }

  /** Sends so many requests at once; gives the statuses of the answers. */
  async function askAtOnce(socket: Socket, authorization: string, count: number) {
    socket.write(orgsAs(authorization).repeat(count));
    let answers = '';
    const statuses = () => [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    while (statuses().length < count) answers += String((await once(socket, 'data'))[0]);
    return statuses();
  }

  async function held(): Promise<{ mine: string; other: string; socket: () => Socket }> {
    const { port, built } = await listen({ requests: { perCallerMax: 1 } });
    const [mine, other] = [await headerOf(built, owner), await headerOf(built, stranger)];
    begin(port, '/orgs', { ...json, authorization: mine, 'content-length': 100 });
    await eventually(async () => expect(await heldOf(built, 'requests')).toBe(1));
    const socket = () => {
      const opened = connect(port, '127.0.0.1').setEncoding('latin1');
      sockets.push(opened);
      return opened;
    };
    return { mine, other, socket };
  }

  it('that repeats refused requests is served last', async () => {
    const { mine, other, socket } = await held();
    const [insistent, patient] = [socket(), socket()];
    // At once: refusals that come slowly are free.
    expect(new Set(await askAtOnce(insistent, mine, 100))).toEqual(new Set(['429']));
    const order: string[] = [];
    const again = ask(insistent, mine).then(() => order.push('the insistent one'));
    for (let i = 0; i < 10; i++) expect(await ask(patient, other)).toBe(200);
    order.push('the patient one');
    await again;
    expect(order).toEqual(['the patient one', 'the insistent one']);
  });

  it('pauses after a large body that was refused', async () => {
    const { mine, other, socket } = await held();
    const [large, small] = [socket(), socket()];
    const length = 8_000_000;
    const head = `POST /orgs HTTP/1.1\r\nhost: x\r\nauthorization: ${mine}\r\n`;
    large.write(`${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`);
    expect(String((await once(large, 'data'))[0])).toMatch(/^HTTP\/1\.1 429 /);
    large.write(' '.repeat(length));
    const order: string[] = [];
    const again = ask(large, mine).then(() => order.push('after the large body'));
    for (let i = 0; i < 10; i++) expect(await ask(small, other)).toBe(200);
    order.push('after small ones');
    await again;
    expect(order).toEqual(['after small ones', 'after the large body']);
  });
});

describe('bytes of bodies', () => {
  it('are reserved for authorized callers, and refused before they arrive', async () => {
    const { port, built } = await listen({ bodyBytes: { perCallerMax: 10_000_000 } });
    const authorization = await headerOf(built, owner);
    const path = `/profiles/${estate.profileId}/things`;
    const head = { ...json, authorization, 'content-length': 8_000_000 };
    begin(port, path, head);
    await eventually(async () => expect(await heldOf(built, 'bodyBytes')).toBe(8_000_000));
    const [refused] = await once(begin(port, path, head), 'data');
    expect(String(refused)).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 2/);
    // Of a body that does not tell its length, as much as the route takes is held.
    const chunked = { ...json, authorization, 'transfer-encoding': 'chunked' };
    const small = begin(port, '/orgs', chunked);
    await eventually(async () =>
      expect(await heldOf(built, 'bodyBytes')).toBe(8_000_000 + 2 ** 20),
    );
    small.destroy();
    await eventually(async () => expect(await heldOf(built, 'bodyBytes')).toBe(8_000_000));
  });
});

describe('searches', () => {
  it('wait for each other up to a limit, while requests of others are answered', async () => {
    const locker = new Client({ connectionString: system().databaseUrl });
    await locker.connect();
    try {
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE things IN ACCESS EXCLUSIVE MODE');
      let ended = 0;
      const search = async () => {
        const answer = await call('POST', '/things/search', {
          as: owner.as,
          body: { metadata: { a: 1 } },
        });
        ended += 1;
        return [answer.status, Number(answer.headers['retry-after']) > 0];
      };
      const searches = Array.from({ length: 2 }, search);
      for (let i = 0; i < 20; i++) {
        expect((await call('GET', '/orgs', { as: stranger.as })).status).toBe(200);
      }
      expect(ended).toBe(0);
      expect(await Promise.all(searches)).toEqual(Array.from({ length: 2 }, () => [503, true]));
    } finally {
      await locker.end();
    }
  });

  it('have a limit of array items', async () => {
    const search = (items: number) =>
      call('POST', '/things/search', {
        as: owner.as,
        body: { metadata: { a: [Array.from({ length: items - 1 }, (_, i) => i)] } },
      });
    expect((await search(64)).status).toBe(200);
    const refused = await search(65);
    expect([refused.status, at(refused, 'error')]).toEqual([
      400,
      expect.stringContaining('metadata: more than 64 items'),
    ]);
  });
});

describe('X-Forwarded-For', () => {
  const guessFrom = async ({ server }: Built, forwardedFor: string) => {
    const { statusCode } = await server.inject({
      method: 'POST',
      url: '/identify',
      payload: { key: randomUUID(), type: 'internal' },
      remoteAddress: '10.1.2.3',
      headers: { 'x-forwarded-for': forwardedFor },
    });
    return statusCode;
  };
  const client = () => `203.0.113.${Math.ceil(Math.random() * 250)}`;

  it('of a trusted proxy decides whose budget of guesses is used', async () => {
    const limits = { unknownKeysPerMinuteMax: 2 };
    api = buildApi({ redisUrl: away.redisUrl }, limits, '/nowhere', {
      trustProxy: '10.0.0.0/8',
    });
    const [one, other] = ['203.0.113.1', '198.51.100.2'];
    for (let i = 0; i < 2; i++) expect(await guessFrom(api, one)).toBe(404);
    expect(await guessFrom(api, one)).toBe(429);
    // What the client says of itself stands to the left of it.
    expect(await guessFrom(api, `192.0.2.9, ${one}`)).toBe(429);
    expect(await guessFrom(api, other)).toBe(404);
  });

  it('of anyone else is ignored', async () => {
    const limits = { unknownKeysPerMinuteMax: 2 };
    api = buildApi({ redisUrl: away.redisUrl }, limits, '/nowhere', {
      trustProxy: '192.168.0.0/16',
    });
    for (let i = 0; i < 2; i++) expect(await guessFrom(api, client())).toBe(404);
    expect(await guessFrom(api, client())).toBe(429);
  });
});
