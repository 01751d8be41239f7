import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AnswerError, ApiError, ConnectionError, Millrace } from './client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A server that gives these answers, one after the other, and what it was asked. */
async function serve(
  ...answers: Answer[]
): Promise<{ client: Millrace; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = new Millrace({ url: `http://127.0.0.1:${port}/`, token: 'secret' });
  closings.push(
    () => client.close(),
    async () => server.close().closeAllConnections(),
  );
  return { client, asked };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const busy = json(503, { error: 'service unavailable' }, { 'retry-after': '0' });
const noOrgs = { total: 0, offset: 0, limit: 10, orgs: [] };

/** All that comes of it. */
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('a request that reads', () => {
  it('is sent again when the server answers Retry-After', async () => {
    const { client, asked } = await serve(
      busy,
      json(429, { error: 'x' }, { 'retry-after': '0' }),
      json(200, noOrgs),
    );
    expect(await client.call('listOrgs', { query: { name: 'a b', metadata: { c: 1 } } })).toEqual(
      noOrgs,
    );
    expect(asked.map(({ url }) => url)).toEqual(
      Array.from({ length: 3 }, () => '/orgs?name=a+b&metadata=%7B%22c%22%3A1%7D'),
    );
    expect(asked[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('fails when the waits become too long, or there were too many', async () => {
    const patient = await serve(busy);
    await expect(patient.client.call('listOrgs', {})).rejects.toMatchObject({
      status: 503,
      retryAfterSeconds: 0,
    });
    expect(patient.asked).toHaveLength(4);
    const long = await serve(json(429, { error: 'too many requests' }, { 'retry-after': '3600' }));
    await expect(long.client.call('listOrgs', {})).rejects.toThrow('too many requests');
    expect(long.asked).toHaveLength(1);
  });
});

describe('a request that changes something', () => {
  it('is sent once', async () => {
    const { client, asked } = await serve(busy);
    await expect(client.create('createOrg', { body: { name: 'a' } })).rejects.toBeInstanceOf(
      ApiError,
    );
    await expect(client.call('deleteOrg', { path: { id: 'x/../y' } })).rejects.toBeInstanceOf(
      ApiError,
    );
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /orgs',
      'DELETE /orgs/x%2F..%2Fy',
    ]);
  });
});

describe('an answer', () => {
  it('is JSON, a list too, or nothing, as the operation has it', async () => {
    const made = [{ id: 'w', name: 'a', url: 'https://example.com' }];
    const { client } = await serve(json(201, made), json(200, {}), json(204, undefined));
    const [one] = made;
    const path = { id: 'x' };
    const body = [{ name: 'a', url: 'https://example.com' }];
    expect(await client.call('createWebhooks', { path, body })).toEqual([one]);
    expect(await client.call('updateOrg', { path, body: { name: 'b' } })).toBeUndefined();
    expect(await client.call('deleteOrg', { path })).toBeUndefined();
  });

  it('to a creation names the id', async () => {
    const { client } = await serve(json(201, undefined, { location: '/orgs/7' }), json(201, {}));
    const request = { body: { name: 'a' } };
    expect(await client.create('createOrg', request)).toBe('7');
    await expect(client.create('createOrg', request)).rejects.toBeInstanceOf(AnswerError);
  });
});

describe('failures', () => {
  it('have the message of the server', async () => {
    const { client } = await serve(json(409, { error: 'entity already exists: name' }));
    await expect(client.create('createOrg', { body: { name: 'a' } })).rejects.toMatchObject({
      name: 'ApiError',
      status: 409,
      message: 'entity already exists: name',
    });
  });

  it('tell a server that is not Millrace from one that is not reachable', async () => {
    const page: Answer = (_request, response) => response.end('<html>');
    const other = await serve(page);
    await expect(other.client.call('listOrgs', {})).rejects.toBeInstanceOf(AnswerError);
    const shape = await serve(json(200, { hello: 'world' }));
    await expect(shape.client.call('listOrgs', {})).rejects.toBeInstanceOf(AnswerError);
    const gone = new Millrace({ url: 'http://127.0.0.1:9' });
    await expect(gone.call('listOrgs', {})).rejects.toBeInstanceOf(ConnectionError);
    await gone.close();
  });

  it('a download that ends too early fails', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'transfer-encoding': 'chunked' });
      response.write('a,b\n');
      setImmediate(() => response.destroy());
    });
    const { stream } = await client.download('exportMessages_senml', {
      query: { convert: 'csv' },
    });
    await expect(all(stream)).rejects.toThrow(/terminated|closed|aborted/);
  });
});

describe('live messages', () => {
  const event = (id: number, data: unknown) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
  const stream =
    (text: string): Answer =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    };
  const message = (n: number) => ({
    publisher: 'p',
    protocol: 'http',
    name: 'n',
    time: n,
    value: n,
  });

  it('continue after the last one when the connection is lost', async () => {
    const { client, asked } = await serve(
      stream(
        `retry: 1\nid: 5\n\n: hello\n\n${event(7, message(1))}${event(8, message(2))}data: {"cut`,
      ),
      busy,
      stream(event(9, message(3))),
    );
    const times: number[] = [];
    let lost = 0;
    for await (const { time } of client.follow(
      'senml',
      { publisher: 'p' },
      { onLost: () => lost++ },
    )) {
      times.push(time);
      if (times.length === 3) break;
    }
    expect(times).toEqual([1, 2, 3]);
    expect(lost).toBe(2);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '8', '8']);
    expect(asked[0]?.url).toBe('/reader/senml/live?publisher=p');
  });

  it('end when the server refuses them', async () => {
    const { client, asked } = await serve(json(403, { error: 'no' }));
    await expect(client.follow('senml').next()).rejects.toMatchObject({ status: 403 });
    expect(asked).toHaveLength(1);
  });

  it('end when the caller stops them', async () => {
    const stop = new AbortController();
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(1, message(1)));
    });
    const seen = [];
    for await (const one of client.follow('senml', {}, { signal: stop.signal })) {
      seen.push(one);
      stop.abort();
    }
    expect(seen).toEqual([message(1)]);
  });
});
