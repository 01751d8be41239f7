import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { IClientOptions } from 'mqtt';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { IssuedCertificate } from '../../../schemas/resources/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { Fleet, type Thing } from '../../support/fleet.ts';
import { connectMqtt, endMqttClients } from '../../support/messages/mqtt.ts';
import { OpenSsl } from '../../support/services/openssl.ts';
import { type OwnEdge, startOwnEdge, stopOwnEdge } from '../../support/services/own-edge.ts';
import { system } from '../../support/system.ts';

const good = '[{"n":"a","v":1}]';
const versions = [4, 5] as const;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  endMqttClients();
  await fleet.close();
});

const webSocketUrl = () => `${system().ingestUrl.replace(/^http/, 'ws')}/mqtt`;

describe('MQTT over a WebSocket', () => {
  it.each(versions)('is MQTT as over TCP (version %i)', async (version) => {
    const thing = await fleet.thing();
    const { client, end } = await connectMqtt(thing.key, version, { url: webSocketUrl() });
    const body = JSON.stringify([{ n: 'a', vs: 'x'.repeat(100_000) }]);
    await Promise.all([
      ...Array.from({ length: 500 }, () => client.publishAsync('x', good, { qos: 1 })),
      client.publishAsync('x', good, { qos: 2 }),
      client.publishAsync('x', body, { qos: 1 }),
    ]);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(502));
    await end();
    const wrong = connectMqtt('wrong', version, { url: webSocketUrl() });
    await expect(wrong).rejects.toMatchObject({ code: version === 5 ? 0x86 : 4 });
  });

  it('ends its connections with their keys, and when another one takes their session', async () => {
    const thing = await fleet.thing();
    const options = { url: webSocketUrl(), clientId: 'taken' };
    const first = await connectMqtt(thing.key, 5, options);
    const second = await connectMqtt(thing.key, 5, { clientId: 'taken' });
    expect(await first.closed).toBe(0x8e);
    const third = await connectMqtt(thing.key, 5, options);
    expect(await second.closed).toBe(0x8e);
    expect(await fleet.call('DELETE', `/things/${thing.id}`)).toMatchObject({ status: 204 });
    expect(await third.closed).toBe(0x87);
  });

  it.each([
    ['another subprotocol', ['mqttv3.1'], 400],
    ['none', [], 400],
  ])('asks for its subprotocol: %s is refused', async (_, offered, status) => {
    const socket = new WebSocket(webSocketUrl(), offered);
    const answered = new Promise((resolve) => {
      socket.on('unexpected-response', (_request, answer) => resolve(answer.statusCode));
      socket.on('open', () => resolve('open'));
      socket.on('error', () => undefined);
    });
    expect(await answered).toBe(status);
    socket.terminate();
  });

  it('comes in binary frames, and not in text', async () => {
    const socket = new WebSocket(webSocketUrl(), 'mqtt');
    const closed = new Promise((resolve) => {
      socket.on('close', resolve);
    });
    socket.on('open', () => socket.send('hello'));
    expect(await closed).toBe(1003);
    expect(socket.protocol).toBe('mqtt');
  });
});

describe('MQTT over TLS', () => {
  const openSsl = new OpenSsl();
  const server = openSsl.selfSigned('localhost');
  let edge: OwnEdge;
  let thing: Thing;

  beforeAll(async () => {
    thing = await fleet.thing();
    const { issuing_ca: ca } = await issue(thing);
    edge = await startOwnEdge({
      EDGE_TLS_PORT: String(await pickPortsInRow(1)),
      EDGE_TLS_CERT: server.certificate,
      EDGE_TLS_KEY: server.key,
      EDGE_TLS_CLIENT_CA: openSsl.file('client-ca.pem', ca),
    });
  });

  afterAll(async () => {
    endMqttClients();
    await fleet.allStored();
    await stopOwnEdge(edge);
    openSsl.close();
  });

  async function issue({ id }: Thing): Promise<IssuedCertificate> {
    const wanted = { thing_id: id, ttl: '1h', key_type: 'ecdsa' };
    return Value.Parse(IssuedCertificate, (await fleet.call('POST', '/certs', wanted)).body);
  }

  const over = (options: IClientOptions = {}) => ({
    url: `mqtts://localhost:${edge.mqttTlsPort}`,
    ca: readFileSync(server.certificate),
    ...options,
  });
  const withCertificate = (issued: IssuedCertificate) =>
    over({ cert: issued.certificate, key: issued.private_key });

  it.each(versions)('takes a key, or a certificate alone (version %i)', async (version) => {
    const own = await fleet.thing();
    const byKey = await connectMqtt(own.key, version, over());
    await byKey.client.publishAsync('x', good, { qos: 1 });
    const byCertificate = await connectMqtt('', version, {
      ...withCertificate(await issue(own)),
      username: '',
    });
    await byCertificate.client.publishAsync('x', good, { qos: 1 });
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(2));
    await Promise.all([byKey.end(), byCertificate.end()]);
    const neither = connectMqtt('', version, over());
    await expect(neither).rejects.toMatchObject({ code: version === 5 ? 0x86 : 4 });
  });

  it('takes what comes a few bytes at a time, and much at once', async () => {
    const own = await fleet.thing();
    // It passes on what the client says, byte by byte.
    const between = createServer({ noDelay: true }, (client) => {
      const far = connect({ port: edge.mqttTlsPort, host: 'localhost', noDelay: true });
      client.on('data', (bytes: Buffer) => {
        for (const byte of bytes) far.write(Uint8Array.of(byte));
      });
      client.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => client.destroy()).pipe(client);
    }).listen(0);
    await once(between, 'listening');
    const address = between.address();
    if (address === null || typeof address === 'string') throw new Error('there is no port');
    const slow = await connectMqtt(own.key, 5, {
      ...over(),
      url: `mqtts://localhost:${address.port}`,
    });
    await slow.client.publishAsync('x', good, { qos: 1 });
    const quick = await connectMqtt(own.key, 5, over());
    const large = JSON.stringify([{ n: 'a', vs: 'x'.repeat(100_000) }]);
    const bodies = Array.from({ length: 200 }, (_, at) => (at % 50 === 0 ? large : good));
    await Promise.all(bodies.map((body) => quick.client.publishAsync('x', body, { qos: 1 })));
    await eventually(async () => expect(await fleet.stored(own.id)).toBe(201));
    await Promise.all([slow.end(), quick.end()]);
    between.close();
  });

  it('ends a connection whose client leaves without a word', async () => {
    const silent = connect({ port: edge.mqttTlsPort, host: 'localhost', allowHalfOpen: true });
    await once(silent, 'connect');
    silent.end();
    silent.resume();
    expect(await once(silent, 'close')).toEqual([false]);
  });

  it('asks the key that is sent, and not the certificate beside it', async () => {
    const [one, other] = [await fleet.thing(), await fleet.thing()];
    const both = await connectMqtt(other.key, 5, withCertificate(await issue(one)));
    await both.client.publishAsync('x', good, { qos: 1 });
    await eventually(async () => expect(await fleet.stored(other.id)).toBe(1));
    await both.end();
  });

  it('does not talk to a client whose certificate another authority signed', async () => {
    const foreign = openSsl.selfSigned('foreign');
    const pair = over({ cert: readFileSync(foreign.certificate), key: readFileSync(foreign.key) });
    await expect(connectMqtt(thing.key, 5, pair)).rejects.toThrow(/.*/);
  });

  it('ends a connection within a second after its certificate is revoked', async () => {
    const own = await fleet.thing();
    const issued = await issue(own);
    const { client, closed } = await connectMqtt('', 5, withCertificate(issued));
    await client.publishAsync('x', good, { qos: 1 });
    const { status } = await fleet.call('DELETE', `/certs/${issued.serial}`);
    expect(status).toBe(200);
    const since = performance.now();
    expect(await closed).toBe(0x87);
    expect(performance.now() - since).toBeLessThan(1_000);
    const again = connectMqtt('', 5, withCertificate(issued));
    await expect(again).rejects.toMatchObject({ code: 0x87 });
  });

  it('is not spoken where TLS is expected, nor the other way round', async () => {
    const url = `mqtt://localhost:${edge.mqttTlsPort}`;
    await expect(connectMqtt(thing.key, 5, { url })).rejects.toThrow(/.*/);
    const tls = over({ port: edge.mqttPort });
    const other = connectMqtt(thing.key, 5, { ...tls, url: `mqtts://localhost:${edge.mqttPort}` });
    await expect(other).rejects.toThrow(/.*/);
  });
});
