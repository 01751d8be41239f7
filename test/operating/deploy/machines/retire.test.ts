import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { Fleet } from '../../../support/fleet.ts';
import { type OwnEdge, startOwnEdge } from '../../../support/services/own-edge.ts';
import { system } from '../../../support/system.ts';

const script = join(import.meta.dirname, '../../../../infra/deploy/millrace-process');
const root = join(import.meta.dirname, '../../../..');
/** Nothing listens there, so the edge's log keeps what it took. */
const nowhere = '127.0.0.1:9';
const messages = 20;

let fleet: Fleet;
let postgres: Client;
let edge: OwnEdge;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  postgres = new Client({ connectionString: system().databaseUrl });
  await postgres.connect();
  edge = await startOwnEdge({
    CLICKHOUSE_URL: `http://${nowhere}`,
    REDIS_URL: `redis://${nowhere}`,
  });
});

afterAll(async () => {
  edge.process.kill('SIGKILL');
  rmSync(edge.dataDir, { recursive: true });
  await postgres.end();
  await fleet.close();
});

async function retire(...args: string[]) {
  const secrets = JSON.parse(readFileSync(join(system().dataDir, 'secrets.json'), 'utf8'));
  const child = spawn(script, ['retire', ...args], {
    env: {
      PATH: process.env['PATH'],
      MILLRACE_HOME: root,
      DATABASE_URL: system().databaseUrl,
      REDIS_URL: system().redisUrl,
      CLICKHOUSE_URL: system().clickhouseUrl,
      SECRET_KEY: secrets.secretKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { said, status };
}

async function knows(logId: string): Promise<boolean> {
  const { rowCount } = await postgres.query('SELECT FROM logs WHERE id = $1', [logId]);
  return rowCount === 1;
}

describe('an edge that is gone for good', () => {
  it('has its log carried over from a copy of it, and nothing waits for it any more', async () => {
    const logId = readFileSync(join(edge.dataDir, 'log/0/log.id'), 'utf8').trim();
    const thing = await fleet.thing();
    for (let v = 0; v < messages; v++) {
      const pack = [{ n: 'a', t: 1e9 + v, v }];
      const { status } = await fleet.publish(thing.key, pack, { ingestUrl: edge.url });
      expect(status).toBe(202);
    }
    const [listed, refused] = await Promise.all([retire(), retire('--lost', logId)]);
    expect(listed).toEqual({ said: expect.stringContaining(logId), status: 0 });
    expect(refused).toEqual({ said: expect.stringContaining('gave a sign of life'), status: 1 });

    edge.process.kill('SIGKILL');
    await once(edge.process, 'exit');
    const copy = join(edge.dataDir, 'copy');
    cpSync(join(edge.dataDir, 'log/0'), copy, { recursive: true });
    expect(await knows(logId)).toBe(true);
    expect(await retire(copy)).toEqual({ said: expect.stringContaining('retired'), status: 0 });
    expect(await knows(logId)).toBe(false);
    await eventually(async () => {
      const stored = await fleet.readSenml(thing.id);
      expect(stored.map(({ value }) => value)).toEqual(
        Array.from({ length: messages }, (_, v) => v),
      );
    });
  });

  it('is given up by the id of its log', async () => {
    const logId = randomUUID();
    await postgres.query(
      `INSERT INTO logs (id, seen_at) VALUES ($1, now() - interval '4 minutes')`,
      [logId],
    );
    expect(await retire('--lost', logId)).toMatchObject({ status: 0 });
    expect(await knows(logId)).toBe(false);
  });
});
