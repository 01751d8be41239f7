import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../support/services/own-edge.ts';
import { connectMqtt, endMqttClients } from '../support/messages/mqtt.ts';
import { system } from '../support/system.ts';

let edge: OwnEdge;
let fleet: Fleet;

beforeAll(async () => {
  edge = await startOwnEdge({
    THING_RATE_LIMIT: '1',
    CORS_ORIGINS: 'https://app.example.com, http://localhost:3000',
    INGEST_ACCESS_LOG: '1',
    LOG_LEVEL: 'info',
  });
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  endMqttClients();
  await fleet.allStored();
  await fleet.close();
  await stopOwnEdge(edge);
});

async function send(authorization: string): Promise<Response> {
  return fetch(`${edge.url}/http/messages`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/senml+json' },
    body: JSON.stringify([{ n: 'a', v: 1 }]),
  });
}

/** Sends until one is refused; how many were taken before it. */
async function sendAllowed(authorization: string) {
  for (let taken = 0; ; taken++) {
    const answer = await send(authorization);
    if (answer.status !== 202) return { taken, refused: answer };
  }
}

describe('THING_RATE_LIMIT', () => {
  it('a thing that sends more gets 429 with Retry-After, and other things are not limited', async () => {
    const [busy, other] = [await fleet.thing(), await fleet.thing()];
    const { taken, refused } = await sendAllowed(`Thing ${busy.key}`);
    expect(taken).toBeGreaterThanOrEqual(1);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit-policy')).toBe('"messages of a thing";q=1;w=1');
    expect(refused.headers.get('ratelimit')).toBe('"messages of a thing";r=0;t=1');
    expect(await refused.text()).toContain('messages of this thing');
    const sent = await send(`Thing ${other.key}`);
    expect(sent.status).toBe(202);
    expect(sent.headers.get('ratelimit-policy')).toBe('"messages of a thing";q=1;w=1');
    expect(sent.headers.get('ratelimit')).toBe('"messages of a thing";r=0;t=1');
  });

  it('a refused message is accepted after Retry-After', async () => {
    const { key } = await fleet.thing();
    await sendAllowed(`Thing ${key}`);
    await delay(1_000);
    expect((await send(`Thing ${key}`)).status).toBe(202);
  });

  it('is shared by a thing’s key and its external key', async () => {
    const external = `meter-${randomUUID()}`;
    const { key } = await fleet.thing({}, external);
    expect((await send(`External ${external}`)).status).toBe(202);
    expect((await sendAllowed(`Thing ${key}`)).taken).toBe(0);
  });

  it('cannot be avoided by another spelling of the credential', async () => {
    const { key } = await fleet.thing();
    await sendAllowed(`Thing ${key}`);
    expect((await send(`THING  ${key}`)).status).toBe(429);
  });
});

describe('CORS_ORIGINS', () => {
  const preflight = (origin: string) =>
    fetch(`${edge.url}/http/messages/a`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it('lets pages of these origins send messages and read the responses', async () => {
    const origin = 'https://app.example.com';
    const asked = await preflight(origin);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
    const { key } = await fleet.thing();
    for (const credential of [key, 'unknown']) {
      const answer = await fetch(`${edge.url}/http/messages`, {
        method: 'POST',
        headers: {
          origin,
          authorization: `Thing ${credential}`,
          'content-type': 'application/senml+json',
        },
        body: '[{"n":"a","v":1}]',
      });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
        credential === key ? 202 : 401,
        origin,
      ]);
      expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it('gives nothing to other origins', async () => {
    for (const origin of ['https://example.com', 'null', 'http://app.example.com']) {
      const asked = await preflight(origin);
      expect([origin, asked.headers.get('access-control-allow-origin')]).toEqual([origin, null]);
      expect(asked.headers.get('access-control-allow-methods')).toBeNull();
    }
  });
});

describe('INGEST_ACCESS_LOG', () => {
  it('writes a line for each message, and no key and no subtopic', async () => {
    const { id, key } = await fleet.thing();
    const answer = await fetch(`${edge.url}/http/messages/secret-place`, {
      method: 'POST',
      headers: {
        authorization: `Thing ${key}`,
        'content-type': 'application/senml+json',
        'x-request-id': 'to-be-found',
      },
      body: '[{"n":"a","v":1}]',
    });
    expect(answer.status).toBe(202);
    const line = await eventually(() => {
      const lines = edge.output().split('\n');
      const found = lines.filter((one) => one.includes('to-be-found'));
      expect(found).toHaveLength(1);
      return String(found[0]);
    });
    expect(JSON.parse(line)).toMatchObject({
      method: 'POST',
      route: '/http/messages',
      status: 202,
      ms: expect.any(Number),
      bytes: 0,
      caller: `thing ${id}`,
    });
    expect(edge.output()).not.toContain(key);
    expect(edge.output()).not.toContain('secret-place');
  });

  it('writes a line when a connection of MQTT begins, and one when it ends', async () => {
    const { id, key } = await fleet.thing();
    const lines = (): unknown[] =>
      edge
        .output()
        .split('\n')
        .filter((line) => line.includes(`thing ${id}`))
        .map((line): unknown => JSON.parse(line));
    const options = { url: `mqtt://127.0.0.1:${edge.mqttPort}`, clientId: 'secret-client' };
    const first = await connectMqtt(key, 5, options);
    await first.client.publishAsync('secret-topic', '[{"n":"a","v":1}]', { qos: 1 });
    await connectMqtt(key, 4, { ...options, url: `${edge.url.replace('http', 'ws')}/mqtt` });
    await first.closed;
    await eventually(() => expect(lines()).toHaveLength(3));
    const [began, ended, taken] = lines();
    const of5 = { caller: `thing ${id}`, protocol: 'MQTT 5', transport: 'tcp' };
    expect(began).toMatchObject({ msg: 'connected', ...of5 });
    expect(taken).toMatchObject({
      msg: 'connected',
      protocol: 'MQTT 3.1.1',
      transport: 'webSocket',
    });
    expect(ended).toMatchObject({
      msg: 'disconnected',
      ...of5,
      reason: '0x8e',
      seconds: expect.any(Number),
      messages: 1,
    });
    const second = await connectMqtt(key, 5, options);
    await second.end();
    const third = await connectMqtt(key, 5, options);
    third.client.stream.destroy();
    await eventually(() =>
      expect(lines().slice(4)).toMatchObject([
        { msg: 'connected' },
        { msg: 'disconnected', reason: '0x00', messages: 0 },
        { msg: 'connected' },
        { msg: 'disconnected', reason: 'lost' },
      ]),
    );
    await expect(connectMqtt('wrong', 5, options)).rejects.toMatchObject({ code: 0x86 });
    await eventually(() => expect(edge.output()).toMatch(/"reason":"0x86".*"refused"/));
    for (const secret of [key, 'secret-topic', 'secret-client']) {
      expect(edge.output()).not.toContain(secret);
    }
  });
});
