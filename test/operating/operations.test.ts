import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHistory } from '../../infra/runtime/history/report.ts';
import { Counter, createMetrics } from '../../infra/runtime/observability/metrics.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { Operations } from '../../schemas/operations.ts';
import { call, json, textAt } from '../support/api/http.ts';
import { createdAt, loginAdmin, People } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const log = createLog('test', 'silent');
const about = { version: '1.2.3', commit: '', description: '', build_time: '' };

let pool: Pool;
let admin: string;

beforeAll(async () => {
  pool = openPostgres(system().databaseUrl, 1, 10_000, log);
  admin = await loginAdmin();
});

afterAll(async () => {
  await pool.query(`DELETE FROM processes WHERE name LIKE '%:1'`);
  await pool.query(
    `DELETE FROM process_history WHERE process_id LIKE 'test %' OR process_id = 'edge goes'`,
  );
  await pool.end();
});

async function operations(range = ''): Promise<Operations> {
  const answer = await call('GET', `/operations${range && `?range=${range}`}`, { as: admin });
  expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([200, '']);
  return Value.Parse(Operations, json(answer));
}

const figureIn = ({ series }: Operations, name: string, of?: string) =>
  series.find((one) => one.figure === name && one.of === of);

/** A process of a test, beside those of the system. */
function start(kind: 'edge' | 'api' | 'workers', id: string) {
  const metrics = createMetrics(about);
  const name = 'millrace_acknowledged_messages_total';
  new Counter({ name, help: 'x', registers: [metrics] }).inc(1_000);
  return startHistory({
    kind,
    id,
    port: 1,
    about,
    pool,
    metrics,
    logger: log,
    checkHealth: async () => ({ log: { status: 'fail', output: 'takes no messages' } }),
    quarantine: async () => [
      {
        at: '2036-01-01T00:00:00.000Z',
        sink: id,
        code: '469',
        reason: 'no',
        segment: 1,
        offset: 2,
      },
    ],
  });
}

describe('operations', () => {
  it('tell how each process is, what it uses, and what all of them measure', async () => {
    const { processes, series } = await operations();
    for (const kind of ['edge', 'api', 'workers']) {
      expect(processes.find((one) => one.kind === kind)).toMatchObject({
        state: 'running',
        version: expect.stringMatching(/^\d/),
        checks: expect.arrayContaining([expect.objectContaining({ part: 'postgres' })]),
        memory_bytes: expect.any(Number),
      });
      expect(processes.find((one) => one.kind === kind)?.cpu_cores).toBeGreaterThan(0);
    }
    const now = new Map<string, unknown>(series.map((one) => [one.figure, one.now]));
    for (const name of ['store_bytes', 'store_parts', 'disk_free_bytes', 'log_max_bytes']) {
      expect([name, now.get(name)]).toEqual([name, expect.any(Number)]);
    }
    expect(now.get('log_max_bytes')).toBeGreaterThan(0);
  });

  it('show in the last hour what things have sent', async () => {
    const fleet = await Fleet.login(system());
    await fleet.publish((await fleet.thing()).key, [{ n: 'a', v: 1 }]);
    await fleet.close();
    await eventually(async () => {
      const seen = await operations('1h');
      for (const name of ['messages_per_second', 'records_per_second', 'ack_p99_ms']) {
        const { values = [] } = figureIn(seen, name) ?? {};
        expect([name, values.length, values.some((value) => (value ?? 0) > 0)]).toEqual([
          name,
          seen.times?.length,
          true,
        ]);
      }
    }, 30_000);
  });

  it('add up what several edges measured at the same time', async () => {
    const at = Math.floor((Date.now() / 1_000 - 3 * 3_600) / 90) * 90;
    const rows = [
      ['test one', { messages: 90, 'unsent_seconds:senml': 4, 'ack:0.01': 1, 'ack:+Inf': 1 }],
      ['test two', { messages: 180, 'unsent_seconds:senml': 2 }],
    ];
    for (const [id, figures] of rows) {
      await pool.query(
        `INSERT INTO process_history (span, at, process_id, kind, seconds, figures)
         VALUES (90, to_timestamp($1), $2, 'edge', 90, $3)`,
        [at, id, JSON.stringify(figures)],
      );
    }
    const seen = await operations('6h');
    const { health = [] } = seen.processes.find(({ kind }) => kind === 'edge') ?? {};
    expect(health.length).toBe(seen.times?.length);
    const point = seen.times?.indexOf(at) ?? -1;
    const value = (name: string, of?: string) => figureIn(seen, name, of)?.values?.[point];
    expect(value('messages_per_second')).toBe(3);
    expect(value('unsent_seconds', 'senml')).toBe(4);
    expect(value('ack_p99_ms')).toBeCloseTo(9.95);
    expect(value('store_parts')).toBeNull();
  });

  it('tell a webhook whose attempts fail, on its page and among the problems, metrics too', async () => {
    const people = new People();
    const org = await createdAt('/orgs', admin, { name: `Northwind ${randomUUID()}` });
    const webhooks = `/svcwebhooks/orgs/${org}/webhooks`;
    const body = [{ name: 'dead end', url: 'https://example.com/hook' }];
    const id = textAt(await call('POST', webhooks, { as: admin, body }), 0, 'id');
    const problem = async () =>
      (await operations()).problems.find(({ webhook_id: webhook }) => webhook === id);
    const view = async () => json(await call('GET', `/webhooks/${id}`, { as: admin }));
    expect(await view()).not.toHaveProperty('failing_since');
    expect(await problem()).toBeUndefined();

    await people.rows(
      `UPDATE webhooks SET failing_since = now() - interval '20 minutes' WHERE id = $1`,
      [id],
    );
    expect(await view()).toMatchObject({ failing_since: expect.stringMatching(/^20/) });
    expect(await problem()).toMatchObject({
      kind: 'webhook_failing',
      severity: 'warn',
      runbook: 'MillraceWebhookAttemptsFail',
    });
    expect((await operations()).status).not.toBe('pass');
    const { text: metrics } = await call('GET', '/metrics');
    expect(metrics).toMatch(/millrace_problems\{kind="webhook_failing",severity="warn"\} [1-9]/);
    expect(metrics).toMatch(/millrace_problems\{kind="frames_lost",severity="fail"\} 0/);
    await call('DELETE', `/orgs/${org}`, { as: admin });
    await people.close();
  });

  it('know a process that stops from one that has gone without a word', async () => {
    const find = async (id: string) =>
      (await operations()).processes.find((one) => one.id === `edge ${id}`);
    const stops = [start('edge', 'stops'), start('edge', 'goes')];
    const seen = await eventually(async () => {
      expect(await find('goes')).toMatchObject({ state: 'running', status: 'fail' });
      expect(await find('stops')).toMatchObject({ state: 'running' });
      return operations();
    });
    expect(figureIn(seen, 'messages_per_second')?.now).toBeGreaterThan(0);
    await pool.query(
      `INSERT INTO process_history (span, at, process_id, kind, seconds, figures)
       VALUES (2520, to_timestamp($1), 'edge goes', 'edge', 2520, '{"health": 1}')`,
      [Math.floor(Date.now() / 1_000 / 2_520 - 3) * 2_520],
    );
    const { processes } = await operations('7d');
    const { health } = processes.find(({ id }) => id === 'edge goes') ?? {};
    expect(health?.filter((status) => status !== null)).toEqual(['warn']);
    expect(seen.quarantine.find(({ sink }) => sink === 'goes')).toMatchObject({ code: '469' });

    await Promise.all(stops.map((stop) => stop()));
    expect(await find('stops')).toMatchObject({ state: 'stopped', cpu_cores: null });
    await pool.query(
      `UPDATE processes SET stopped_at = NULL, seen_at = now() - interval '1 minute'
       WHERE id = 'edge goes'`,
    );
    expect(await find('goes')).toMatchObject({ state: 'silent' });

    await pool.query(
      `UPDATE processes SET seen_at = now() - interval '2 hours' WHERE name LIKE '%:1'`,
    );
    expect([await find('stops'), (await find('goes'))?.state]).toEqual([undefined, 'silent']);
  });

  it('are asked for a range that there is', async () => {
    const answer = await call('GET', '/operations?range=1y', { as: admin });
    expect(answer.status).toBe(400);
  });
});
