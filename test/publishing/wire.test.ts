import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { Line } from '../cli/running/line.ts';
import { system } from '../support/system.ts';

/*
 * HTTP as it is on the wire, at the edge and at the API. The edge's server does not take all of it; what it does
 * not, it says at once, and keeps nothing.
 */

const good = '[{"n":"a","v":1}]';
const chunk = `${good.length.toString(16)}\r\n${good}\r\n`;

let fleet: Fleet;
let thing: Thing;
let lines: Line[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
  thing = await fleet.thing();
});

afterAll(async () => {
  for (const line of lines) line.end();
  await fleet.close();
});

function open(url: string): Line {
  const line = Line.open(url);
  lines = [...lines, line];
  return line;
}

type Shape = { key?: string; path?: string; version?: string; fields?: string[] };

function head({ key = thing.key, path = '/http/messages', version = '1.1', fields = [] }: Shape) {
  return [
    `POST ${path} HTTP/${version}`,
    'Host: a',
    `Authorization: Thing ${key}`,
    'Content-Type: application/senml+json',
    ...fields,
    '\r\n',
  ].join('\r\n');
}

const lengthField = `Content-Length: ${good.length}`;
const chunkedField = 'Transfer-Encoding: chunked';

/** What a message that was cut off may leave would be stored before this one. */
async function mustHoldOnly(own: Thing, messages: number): Promise<void> {
  expect(await fleet.publish(own.key, good)).toMatchObject({ status: 202 });
  await eventually(async () => expect(await fleet.stored(own.id)).toBe(messages + 1));
}

// They wait for the store, and one for a timeout of the edge.
describe.concurrent('the edge', () => {
  it('accepts a chunked body, and the next request after it', async () => {
    const line = open(system().ingestUrl);
    line.send(`${head({ fields: [chunkedField] })}${chunk}0\r\n\r\n`);
    await line.answers(1);
    line.send(head({ fields: [chunkedField] }));
    line.send('8\r\n[{"n":"a\r\n');
    line.send('9\r\n","v":1}]\r\n0\r\n');
    line.send('\r\n');
    await line.answers(2);
    line.send(`${head({ fields: [lengthField] })}${good}`);
    await line.answers(3);
    expect(line.statuses()).toEqual([202, 202, 202]);
  });

  it('closes a connection on which a request comes before the answer to the last one', async () => {
    const own = await fleet.thing();
    // From here on the edge knows the key, and keeps a message as soon as it is there.
    expect(await fleet.publish(own.key, good)).toMatchObject({ status: 202 });
    const line = open(system().ingestUrl);
    const request = `${head({ key: own.key, fields: [lengthField] })}${good}`;
    line.send(request.repeat(3));
    await line.closed();
    expect(line.statuses()).toEqual([]);
    await mustHoldOnly(own, 2);
  });

  it('refuses trailers at once, and stores nothing of their message', async () => {
    const own = await fleet.thing();
    const fields = [chunkedField, 'Trailer: X-Sum'];
    const told = open(system().ingestUrl);
    told.send(head({ key: own.key, fields }));
    expect(await told.closed()).toMatch(/^HTTP\/1\.1 400 [^]*trailers are not taken/);
    // What comes with the head is not waited for: the server's own answer is first.
    const together = open(system().ingestUrl);
    together.send(`${head({ key: own.key, fields })}${chunk}0\r\nX-Sum: 1\r\n\r\n`);
    await together.closed();
    expect(together.statuses()).toEqual([505]);
    const untold = open(system().ingestUrl);
    untold.send(`${head({ key: own.key, fields: [chunkedField] })}${chunk}0\r\nX-Sum: 1\r\n\r\n`);
    await untold.closed();
    expect(untold.statuses()).toEqual([505]);
    await mustHoldOnly(own, 0);
  });

  it('stores a message once that it accepted before its trailers arrived', async () => {
    const own = await fleet.thing();
    const line = open(system().ingestUrl);
    line.send(`${head({ key: own.key, fields: [chunkedField] })}${chunk}0\r\n`);
    await line.answers(1);
    line.send('X-Sum: 1\r\n\r\n');
    await line.closed();
    expect(line.statuses()).toEqual([202, 505]);
    await mustHoldOnly(own, 1);
  });

  it.each([
    ['digits', `${good.length.toString(16)};a=1\r\n${good}\r\n0\r\n\r\n`],
    ['other letters', `${good.length.toString(16)};name=value\r\n${good}\r\n0\r\n\r\n`],
    ['an extension on the last one too', `11;a=1\r\n${good}\r\n0;b="c"\r\nX-Sum: 1\r\n\r\n`],
    ['a size that is none', `1g\r\n${good}\r\n0\r\n\r\n`],
  ])('refuses chunk extensions at once: %s', async (_, body) => {
    const own = await fleet.thing();
    const line = open(system().ingestUrl);
    line.send(`${head({ key: own.key, fields: [chunkedField] })}${body}`);
    await line.closed();
    expect(line.statuses()).toEqual([400]);
    await mustHoldOnly(own, 0);
  });

  it('refuses a chunked body whose end does not arrive', async () => {
    const own = await fleet.thing();
    const line = open(system().ingestUrl);
    line.send(`${head({ key: own.key, fields: [chunkedField] })}${chunk}0;a=1\r\n\r\n`);
    expect(await line.closed()).toMatch(/^HTTP\/1\.1 400 [^]*does not come whole/);
    await mustHoldOnly(own, 0);
  });

  it('refuses HTTP/1.0 and a target with a host at once', async () => {
    const old = open(system().ingestUrl);
    old.send(`${head({ version: '1.0', fields: [lengthField] })}${good}`);
    const absolute = open(system().ingestUrl);
    absolute.send(`${head({ path: 'http://a/http/messages', fields: [lengthField] })}${good}`);
    await Promise.all([old.closed(), absolute.closed()]);
    expect([...old.statuses(), ...absolute.statuses()]).toEqual([505, 505]);
  });

  it('accepts a subtopic in UTF-8 that is not percent-encoded', async () => {
    const own = await fleet.thing();
    const line = open(system().ingestUrl);
    line.send(
      `${head({ key: own.key, path: '/http/messages/café', fields: [lengthField] })}${good}`,
    );
    await line.answers(1);
    expect(line.statuses()).toEqual([202]);
    await eventually(async () => {
      const messages = await fleet.readSenml(own.id);
      expect(messages.map(({ subtopic }) => subtopic)).toEqual(['café']);
    });
  });

  it.each(['/messages', '/messages/a/b'])('accepts messages at %s too', async (path) => {
    const own = await fleet.thing();
    const line = open(system().ingestUrl);
    line.send(`${head({ key: own.key, path, fields: [lengthField] })}${good}`);
    await line.answers(1);
    expect(line.statuses()).toEqual([202]);
    const subtopic = path.split('/').slice(2).join('.');
    await eventually(async () => {
      const [message] = await fleet.readSenml(own.id);
      expect(message?.subtopic ?? '').toBe(subtopic);
    });
  });
});

describe.each(['edge', 'API'])('the %s', (where) => {
  const url = () => (where === 'edge' ? system().ingestUrl : system().apiUrl);

  it('ignores parameters that a sender adds, but not a subtopic', async () => {
    const own = await fleet.thing();
    const line = open(url());
    const queries = ['?event=up', '/a?LrnDevEui=1&x=y', '?api-version=2', '?', '/a?name=x'];
    for (const [index, query] of [...queries, '/?subtopic=a', '/a?x&%73ubtopic='].entries()) {
      const path = `/http/messages${query}`;
      line.send(`${head({ key: own.key, path, fields: [lengthField] })}${good}`);
      await line.answers(index + 1);
    }
    expect(line.statuses()).toEqual([202, 202, 202, 202, 202, 400, 400]);
    expect(await line.answers(7)).toContain(
      'malformed entity specification: subtopic: stands in the path, /http/messages/<subtopic>',
    );
    await mustHoldOnly(own, 5);
  });

  it('refuses . and .. for a part of a subtopic, however they are spelled', async () => {
    const own = await fleet.thing();
    const line = open(url());
    const paths = ['..', 'a/../b', 'a/./b', '.', 'a/%2e%2E/b', '..%2fb', '%2e', 'a/.%2e'];
    for (const [index, path] of paths.entries()) {
      // With and without a key that is known.
      const key = index % 2 === 0 ? own.key : 'unknown';
      line.send(`${head({ key, path: `/http/messages/${path}`, fields: [lengthField] })}${good}`);
      const text = await line.answers(index + 1);
      if (index % 2 === 0) expect(text).toContain('subtopic: must not have . or .. for a part');
    }
    const refused = where === 'edge' ? [400, 401] : [400, 400];
    expect(line.statuses()).toEqual(paths.map((_, index) => refused[index % 2]));
    await mustHoldOnly(own, 0);
  });

  it.each(['caf\xe9', 'caf%e9', 'a/\xff/b'])(
    'refuses bytes that are no UTF-8: %j',
    async (path) => {
      const own = await fleet.thing();
      const line = open(url());
      const request = `${head({ key: own.key, path: `/http/messages/${path}`, fields: [lengthField] })}${good}`;
      line.send(Buffer.from(request, 'latin1'));
      expect(await line.answers(1)).toMatch(/^HTTP\/1\.1 400 /);
      await mustHoldOnly(own, 0);
    },
  );

  it.each(['Authorization: Thing x', 'authorization: Thing x', 'Host: b', 'HOST: a'])(
    'refuses a second %s',
    async (field) => {
      const own = await fleet.thing();
      const requests = [
        `${head({ key: own.key, fields: [field, lengthField] })}${good}`,
        `GET /health HTTP/1.1\r\nHost: a\r\nAuthorization: Thing y\r\n${field}\r\n\r\n`,
      ];
      for (const request of requests) {
        const line = open(url());
        line.send(request);
        expect(await line.answers(1)).toMatch(/^HTTP\/1\.1 400 [^]*must be sent once/);
      }
      await mustHoldOnly(own, 0);
    },
  );

  it.each(['%s', 'Basic %s', 'Bearer %s', 'Token %s'])(
    'says how to send a key that came as "%j", and not what came',
    async (shape) => {
      const { key } = await fleet.thing();
      const headers = { authorization: shape.replace('%s', key) };
      const answer = await fleet.publish(key, good, { ingestUrl: url(), headers });
      expect(answer).toMatchObject({ status: 401 });
      expect(answer.error).toBe(
        'failed to perform authentication over the entity: send Authorization: Thing <key>',
      );
    },
  );

  it('answers HEAD as GET, without a body', async () => {
    const line = open(url());
    for (const [at, path] of ['/health', '/http/health', '/metrics'].entries()) {
      line.send(`HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect(await line.answers(at + 1)).toMatch(/content-length: [1-9]\d*\r\n(?:[^]*\r\n)?\r\n$/i);
    }
    expect(line.statuses()).toEqual([200, 200, 200]);
    const none = open(url());
    none.send('HEAD /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await none.answers(1)).toMatch(/^HTTP\/1\.1 404 [^{]*\r\n\r\n$/);
  });

  it('refuses a body that is compressed, or whose header says so', async () => {
    const to = { ingestUrl: url() };
    for (const [encoding, body] of [
      ['gzip', gzipSync(good)],
      ['gzip', good],
      ['x-own', good],
      ['identity, gzip', good],
    ] as const) {
      const headers = { 'content-encoding': encoding };
      const answer = await fleet.publish(thing.key, body, { ...to, headers });
      expect(answer).toMatchObject({ status: 415, error: expect.stringContaining(encoding) });
    }
    const headers = { 'content-encoding': 'Identity' };
    expect(await fleet.publish(thing.key, good, { ...to, headers })).toMatchObject({ status: 202 });
    const line = open(url());
    line.send(`${head({ fields: ['Content-Encoding: br', lengthField] })}${good}`);
    expect(await line.answers(1)).toMatch(/^HTTP\/1\.1 415 [^]*accept-encoding: identity\r\n/i);
  });
});

describe('the API', () => {
  it('accepts what the edge refuses, and forwards it', async () => {
    const own = await fleet.thing();
    const { key } = own;
    const line = open(system().apiUrl);
    // As `println` ends a body on small devices.
    line.send(`${head({ key, fields: [lengthField] })}${good}\r\n`);
    await line.answers(1);
    line.send(
      `${head({ key, fields: [chunkedField] })}11;a=1\r\n${good}\r\n0;b=2\r\nX-Sum: 1\r\n\r\n`,
    );
    await line.answers(2);
    line.send(
      `${head({ key, path: `${system().apiUrl}/http/messages`, fields: [lengthField] })}${good}`,
    );
    await line.answers(3);
    line.send(`${head({ key, path: '/messages/a', fields: [lengthField] })}${good}`);
    await line.answers(4);
    line.send(`${head({ key, version: '1.0', fields: [lengthField] })}${good}`);
    await line.closed();
    expect(line.statuses()).toEqual([202, 202, 202, 202, 202]);
    await mustHoldOnly(own, 5);
  });

  it('accepts targets with a host', async () => {
    const line = open(system().apiUrl);
    for (const target of [`${system().apiUrl}/health`, 'HTTP://a:1/health', 'https://a/nothing']) {
      line.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await line.answers(line.statuses().length + 1);
    }
    expect(line.statuses()).toEqual([200, 200, 404]);
    for (const target of ['*', 'health', 'http://', 'ftp://a/health']) {
      const odd = open(system().apiUrl);
      odd.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await odd.answers(1);
      expect([[400], [404]]).toContainEqual(odd.statuses());
    }
  });

  it('refuses a compressed body of its own', async () => {
    const line = open(system().apiUrl);
    line.send(
      'POST /tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}',
    );
    expect(await line.answers(1)).toMatch(/^HTTP\/1\.1 415 [^]*accept-encoding: identity\r\n/i);
  });
});
