import { cpSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { allKept, judgeLoad } from '../judge.ts';
import { report } from '../report.ts';
import { settings } from '../settings.ts';
import { databases, Hosts, ours } from './hosts.ts';
import { ApartLoad } from './load.ts';

/*
 * Each process on a host of its own: two edges, two APIs, two workers, PostgreSQL, Redis and ClickHouse, in namespaces
 * of Linux's network. Needs root and iproute2.
 */

const { cutMs, rate } = settings;
const calmMs = 2_000;
const goesOnMsMax = 60_000;

let hosts: Hosts;

beforeAll(async () => {
  hosts = await Hosts.start();
}, 300_000);

afterAll(() => hosts.stop());

/** Waits until each edge has taken, and each API answered, messages again. */
async function untilServed(load: ApartLoad): Promise<void> {
  const all = ['edge-0 202', 'edge-1 202', 'api-0 200', 'api-1 200'];
  const before = { ...load.answers };
  await eventually(
    () => all.every((what) => (load.answers[what] ?? 0) > (before[what] ?? 0) + 2),
    goesOnMsMax,
  );
}

const refused = (answers: Record<string, number>) =>
  Object.entries(answers).filter(([what]) => !/ (202|200|broken)$/.test(what));

it(`each host cut off for ${cutMs / 1_000} seconds in turn: nothing is lost or doubled, and all goes on by itself`, async () => {
  const load = await ApartLoad.start(hosts, rate);
  await untilServed(load);
  const phases: Record<string, unknown> = {};
  for (const name of [...ours, ...databases]) {
    load.answersOfPhase();
    hosts.network.cut(name);
    await delay(cutMs);
    const during = load.answersOfPhase();
    hosts.network.mend(name);
    const mendedAt = performance.now();
    await hosts.untilReady(name);
    await untilServed(load);
    phases[name] = { during, backAfterMs: Math.round(performance.now() - mendedAt) };
    // Nobody gave up.
    for (const one of [...ours, ...databases])
      expect([one, hosts.isRunning(one)]).toEqual([one, true]);
    await delay(calmMs);
  }
  await load.stop();
  const { findings, figures } = await judgeLoad(hosts, load);
  await load.close();
  report('cuts', { cutMs, phases, ...findings, ...figures });
  expect(findings).toEqual(allKept);
});

it('a rolling restart of all processes: no refusal but 503 of an edge that goes, nothing is lost or doubled', async () => {
  const load = await ApartLoad.start(hosts, rate);
  await untilServed(load);
  const phases: Record<string, unknown> = {};
  for (const name of ours) {
    load.answersOfPhase();
    await hosts.end(name);
    await hosts.begin(name);
    await untilServed(load);
    const answers = load.answersOfPhase();
    phases[name] = answers;
    const allowed = refused(answers).filter(([what]) => what === `${name} 503`);
    expect([name, refused(answers)]).toEqual([name, name.startsWith('edge') ? allowed : []]);
  }
  await load.stop();
  const { findings, figures } = await judgeLoad(hosts, load);
  await load.close();
  report('rolling restart', { phases, ...findings, ...figures });
  expect(findings).toEqual(allKept);
});

it('a restart of each database: refusals are 503, nothing is lost or doubled', async () => {
  const load = await ApartLoad.start(hosts, rate);
  await untilServed(load);
  const phases: Record<string, unknown> = {};
  for (const name of databases) {
    load.answersOfPhase();
    await hosts.end(name);
    await hosts.begin(name);
    await untilServed(load);
    phases[name] = load.answersOfPhase();
  }
  await load.stop();
  const { findings, figures } = await judgeLoad(hosts, load);
  await load.close();
  report('restarts of databases', { phases, ...findings, ...figures });
  expect(findings).toEqual(allKept);
});

it('a host that is gone without a word: what it had locked in PostgreSQL is free soon', async () => {
  const lock = '20';
  const child = await hosts.operateOn('test/faults/programme/apart/holder.ts', [
    hosts.databaseUrl,
    lock,
  ]);
  const client = new Client({ connectionString: hosts.databaseUrl });
  await client.connect();
  const isFree = async () => {
    const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS free', [lock]);
    return rows[0]?.free === true;
  };
  expect(await isFree()).toBe(false);
  hosts.network.cut('operator');
  const cutAt = performance.now();
  await eventually(isFree, 120_000);
  report('a lost host', { freeAfterSeconds: Math.round((performance.now() - cutAt) / 1_000) });
  await client.end();
  child.kill('SIGKILL');
  hosts.network.mend('operator');
});

it('an edge that is gone for good under load: its log is carried over on another host, nothing is lost or doubled', async () => {
  const load = await ApartLoad.start(hosts, rate);
  await untilServed(load);
  const deletion = async () => {
    const path = `/reader/senml/${load.senml.id}?from=2001-01-01&to=2001-01-02`;
    const { status } = await load.sender.call('DELETE', path);
    return status;
  };
  // What the edge takes now is nowhere but in its log.
  for (const name of ['clickhouse', 'redis'] as const) hosts.network.cut(name);
  const before = load.answers['edge-1 202'] ?? 0;
  await eventually(() => (load.answers['edge-1 202'] ?? 0) > before + 100, goesOnMsMax);
  await hosts.end('edge-1', 'SIGKILL');
  for (const name of ['clickhouse', 'redis'] as const) {
    hosts.network.mend(name);
    await hosts.untilReady(name);
  }
  expect(await deletion()).toBe(503);
  const copy = `${hosts.logOf('edge-1')}-copy`;
  cpSync(hosts.logOf('edge-1'), copy, { recursive: true });
  const startedAt = performance.now();
  expect(await hosts.operate('ingest/barriers/retire.ts', [copy])).toBe(0);
  const retiredAfterMs = Math.round(performance.now() - startedAt);
  await eventually(async () => expect(await deletion()).toBe(204), goesOnMsMax);
  await load.stop();
  const { findings, figures } = await judgeLoad(hosts, load);
  await load.close();
  report('an edge that is gone', { retiredAfterMs, ...findings, ...figures });
  expect(findings).toEqual(allKept);
});
