import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const Attributes = Type.Array(
  Type.Object({ key: Type.String(), value: Type.Record(Type.String(), Type.Unknown()) }),
);

/** OTLP over HTTP, as JSON: as much of it as is looked at. */
const Export = Type.Object({
  resourceSpans: Type.Array(
    Type.Object({
      resource: Type.Object({ attributes: Attributes }),
      scopeSpans: Type.Array(
        Type.Object({
          spans: Type.Array(
            Type.Object({
              traceId: Type.String(),
              spanId: Type.String(),
              parentSpanId: Type.Optional(Type.String()),
              name: Type.String(),
              startTimeUnixNano: Type.String(),
              endTimeUnixNano: Type.String(),
              attributes: Attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});

type Received = {
  service: unknown;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
};

const spans: Received[] = [];
const hooks: string[] = [];
let receiver: Server;
let url: string;
let system: OwnSystem;
let fleet: Fleet;
let failed = false;

/** Takes what OpenTelemetry sends, and, at /hook, what webhooks do. */
beforeAll(async () => {
  receiver = createServer((request, response) => {
    void take(request).then(() => {
      return response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  system = await startSystem({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: '1' },
  });
  fleet = await Fleet.login(system);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
  receiver.closeAllConnections();
  receiver.close();
});

async function take(request: IncomingMessage): Promise<void> {
  const body = await text(request);
  if (request.url === '/v1/traces') spans.push(...read(JSON.parse(body)));
  else hooks.push(String(request.headers['webhook-id']));
}

function read(body: unknown): Received[] {
  return Value.Parse(Export, body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service } = valuesOf(resource.attributes);
    return scopeSpans.flatMap(({ spans: sent }) =>
      sent.map(({ name, traceId, spanId, parentSpanId, attributes }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
        attributes: valuesOf(attributes),
      })),
    );
  });
}

function valuesOf(attributes: { key: string; value: Record<string, unknown> }[]) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** The spans directly under one, by name. */
const under = (parent: Received): Received[] =>
  spans.filter(
    ({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId,
  );

/** Waits for a span. */
function arrived(matches: (span: Received) => boolean): Promise<Received> {
  return eventually(() => {
    const span = spans.find(matches);
    if (span === undefined) throw new Error('no such span came');
    return span;
  }, 20_000);
}

const traceId = (digit: string) => digit.repeat(32);
const traceparent = (digit: string, flags = '01') =>
  `00-${traceId(digit)}-${digit.repeat(16)}-${flags}`;

describe('traces', () => {
  it('follow a message to the log, in the trace of its sender', async () => {
    const { key } = await fleet.thing();
    const answer = await fetch(`${system.ingestUrl}/http/messages`, {
      method: 'POST',
      headers: {
        authorization: `Thing ${key}`,
        'content-type': 'application/senml+json',
        traceparent: traceparent('a'),
      },
      body: '[{"n":"a","v":1}]',
    });
    expect(answer.status).toBe(202);
    const request = await arrived(
      ({ traceId: of, name }) => of === traceId('a') && name === 'POST /http/messages',
    );
    await eventually(() => under(request).length > 0);
    expect(request).toMatchObject({
      service: 'millrace-ingest',
      name: 'POST /http/messages',
      parentSpanId: 'a'.repeat(16),
      attributes: { 'http.response.status_code': 202 },
    });
    expect(under(request)).toMatchObject([{ name: 'log append', attributes: {} }]);
  });

  it('follow a batch into the store', async () => {
    const sink = await arrived(({ name }) => name === 'sink insert');
    expect(sink).toMatchObject({
      service: 'millrace-ingest',
      parentSpanId: undefined,
      attributes: { 'millrace.sink': expect.stringMatching(/^(senml|json)$/) },
    });
    await eventually(() => under(sink).length > 0);
    expect(under(sink).map(({ name }) => name)).toContain('clickhouse INSERT');
  });

  it('follow a request of the API to PostgreSQL, ClickHouse and the edge', async () => {
    const thing = await fleet.thing();
    const made = await arrived(
      ({ name, service }) => service === 'millrace-api' && name === 'POST /profiles/:id/things',
    );
    await eventually(() => under(made).some(({ name }) => name.startsWith('postgres ')));
    await fleet.stored(thing.id);
    const page = await arrived(({ name }) => name === 'GET /reader/senml');
    await eventually(() => under(page).some(({ name }) => name === 'clickhouse SELECT'));
    const passed = await fetch(`${system.apiUrl}/http/messages`, {
      method: 'POST',
      headers: {
        authorization: `Thing ${thing.key}`,
        'content-type': 'application/senml+json',
        traceparent: traceparent('b'),
      },
      body: '[{"n":"a","v":1}]',
    });
    expect(passed.status).toBe(202);
    const atApi = await arrived(
      (span) => span.traceId === traceId('b') && span.service === 'millrace-api',
    );
    const atEdge = await arrived(
      (span) => span.traceId === traceId('b') && span.name === 'POST /http/messages',
    );
    expect(atEdge.parentSpanId).toBe(atApi.spanId);
  });

  it('have each attempt of a webhook', async () => {
    const thing = await fleet.thing();
    await fleet.call('POST', `/things/${thing.id}/webhooks`, [
      { name: 'hook', url: `${url}/hook` },
    ]);
    await fleet.publish(thing.key, [{ n: 'a', v: 1 }]);
    const delivery = await arrived(({ name }) => name === 'webhook delivery');
    expect(hooks).toContain(delivery.attributes['millrace.webhook_message_id']);
    expect(delivery).toMatchObject({
      service: 'millrace-workers',
      attributes: { 'http.response.status_code': 200 },
    });
  });

  it('are not sent to servers of others', async () => {
    const answer = await fetch(`${system.apiUrl}/health`, {
      headers: { traceparent: traceparent('c', '00') },
    });
    expect(answer.status).toBe(200);
    await fetch(`${system.apiUrl}/health`, { headers: { traceparent: traceparent('d') } });
    await arrived((span) => span.traceId === traceId('d'));
    expect(spans.filter((span) => span.traceId === traceId('c'))).toEqual([]);
  });

  it('have no values, no keys and no tokens', () => {
    const all = JSON.stringify(spans);
    expect(all).not.toContain(system.adminPassword);
    expect(all).not.toMatch(/Bearer|Thing [0-9a-f]/);
  });
});
