import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { Client } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pickPortsInRow } from '../../infra/local/installation/ports.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { judge, sendNumbered } from '../support/messages/numbered.ts';
import { lastAcceptedMs } from '../support/messages/last-accepted.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const connections = 20;
const message = JSON.stringify([{ n: 'a', v: 1 }]);

let system: OwnSystem;
let fleet: Fleet;
let operatorPort: number;
let failed = false;
const clients: Client[] = [];

beforeAll(async () => {
  operatorPort = await pickPortsInRow(2);
  const env = { INGEST_PROCESSES: '2', INGEST_OPERATOR_PORT: String(operatorPort) };
  system = await startSystem({ env });
  fleet = await Fleet.login(system);
});

afterEach(async ({ task }) => {
  failed ||= task.result?.state === 'fail';
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
});

/** One connection, which stays with the edge that took it. */
function connect(): Client {
  const client = new Client(system.ingestUrl);
  clients.push(client);
  return client;
}

async function status(edge: Client, key: string): Promise<number> {
  const { statusCode, body } = await edge.request({
    method: 'POST',
    path: '/http/messages',
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
    body: message,
  });
  await body.dump();
  return statusCode;
}

/** How many messages the edge of this connection has acknowledged. */
async function acknowledged(edge: Client): Promise<number> {
  const { body } = await edge.request({ method: 'GET', path: '/metrics' });
  return Number(/^millrace_acknowledged_messages_total (\d+)$/m.exec(await body.text())?.[1]);
}

/** The same of an edge's own port. */
async function acknowledgedAt(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^millrace_acknowledged_messages_total (\d+)$/m.exec(text)?.[1]);
}

/** A connection to each edge: what is sent to the one is not counted by the other. */
async function connectToEach(thing: Thing): Promise<[Client, Client]> {
  const one = connect();
  return eventually(async () => {
    const other = connect();
    const before = await acknowledged(one);
    expect(await status(other, thing.key)).toBe(202);
    expect(await acknowledged(one)).toBe(before);
    return [one, other];
  });
}

describe('two edges on one port', () => {
  it('both answer, and what each accepts is stored', async () => {
    const edges = await connectToEach(await fleet.thing());
    const thing = await fleet.thing();
    for (const edge of edges) expect(await status(edge, thing.key)).toBe(202);
    await eventually(async () => expect(await fleet.stored(thing.id)).toBe(2));
  });

  it('each has its health and metrics on a port of its own, and counts what it accepts', async () => {
    const thing = await fleet.thing();
    const edges = await connectToEach(thing);
    const each = [0, 1].map((index) => `http://127.0.0.1:${operatorPort + index}`);
    const counts = () => Promise.all(each.map(acknowledgedAt));
    const before = await counts();
    for (const edge of edges) expect(await status(edge, thing.key)).toBe(202);
    expect(await counts()).toEqual(before.map((count) => count + 1));
    for (const url of each) {
      for (const path of ['/health', '/health/ready', '/health/live']) {
        expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
      }
    }
  });

  it('each has a log of its own', () => {
    const ids = [0, 1].map((index) =>
      readFileSync(join(system.dataDir, `log/${index}/log.id`), 'utf8'),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('a rotated key is refused at both within a second, and the new one is accepted', async () => {
    const thing = await fleet.thing();
    const edges = await connectToEach(thing);
    for (const edge of edges) expect(await status(edge, thing.key)).toBe(202);
    const key = `new-${thing.id}`;
    const rotated = { name: key, type: 'sensor', key };
    expect(await fleet.call('PUT', `/things/${thing.id}`, rotated)).toMatchObject({ status: 200 });
    const since = performance.now();
    const last = await Promise.all(
      edges.map((edge) => lastAcceptedMs(() => status(edge, thing.key), since)),
    );
    expect(Math.max(...last)).toBeLessThan(1_000);
    for (const edge of edges) expect(await status(edge, thing.key)).toBe(401);
    for (const edge of edges) expect(await status(edge, key)).toBe(202);
  });

  it('acknowledged records survive kill -9 of one, then of the other', async () => {
    const thing = await fleet.thing();
    const numbered = sendNumbered(fleet, thing, connections);
    for (const victim of ['ingest-0', 'ingest-1']) {
      const before = numbered.acknowledged.size;
      await eventually(() => numbered.acknowledged.size > before + 200, 30_000);
      // A moment nobody chose: between the steps of the edge and the sinks.
      await delay(Math.random() * 400);
      await system.kill(victim, 'SIGKILL');
    }
    await numbered.stop();
    const nothingWrong = { lost: [], twice: [], invented: [] };
    expect(await judge(fleet, thing, numbered, 60_000)).toEqual(nothingWrong);
    expect(numbered.acknowledged.size).toBeGreaterThan(600);
  });

  it('both learn of a changed key after two hundred thousand others', async () => {
    const thing = await fleet.thing();
    const edges = await connectToEach(thing);
    const postgres = new Postgres({ connectionString: system.databaseUrl });
    await postgres.connect();
    // As if a profile that so many things have were changed.
    await postgres.query(
      `INSERT INTO key_changes (lookup)
       SELECT sha256(at::text::bytea) FROM generate_series(1, 200000) AS at`,
    );
    await postgres.end();
    const rotated = { name: 'rotated', type: 'sensor', key: `new-${thing.id}` };
    expect(await fleet.call('PUT', `/things/${thing.id}`, rotated)).toMatchObject({ status: 200 });
    for (const edge of edges) {
      await eventually(async () => expect(await status(edge, thing.key)).toBe(401), 60_000);
    }
  });
});
