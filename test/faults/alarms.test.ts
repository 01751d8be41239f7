import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { alarmsIn } from '../../infra/runtime/alarms/history.ts';
import { loadRules } from '../../infra/runtime/alarms/rule.ts';
import { rowsOf } from '../../infra/runtime/stores/postgres.ts';
import { noticesAt } from '../alarms/world.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

const kills = Number(process.env['FAULTS_ALARM_KILLS'] ?? 60);
/** The same seed gives the same turns; what they hit is up to the machine. */
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const things = 12;
const waitMsMax = 5 * 60_000;
/** With what comes before and after it, on a machine that has much else to do. */
const killMsMax = 30_000;
/** A record is so much later than the one before, whenever it is sent, and none is older than an hour, or in the future. */
const stepS = 0.5;
const agoSMax = 3_000;
const startS = Math.floor(Date.now() / 1_000) - agoSMax;
const recordsMax = 20_000;
const betweenMs = 40;

let system: OwnSystem;
let fleet: Fleet;
let pool: Pool;
let receiver: Receiver;
let failed = false;

beforeAll(async () => {
  receiver = await openReceiver();
  system = await startSystem();
  fleet = await Fleet.login(system);
  pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  pool.on('error', () => undefined);
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await pool.end();
  await fleet.close();
  await system.stop(failed);
  await receiver.close();
});

const turn = fc.record({
  victims: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(['ingest'], ['postgres'], ['redis'], ['workers']) },
    { weight: 1, arbitrary: fc.constant(['ingest', 'postgres', 'redis', 'workers', 'api']) },
  ),
  afterMs: fc.noBias(fc.nat(1_500)),
});

type Sent = { s: number; value: number };

/** Sends a walk of values, each until it is acknowledged. */
function send(thing: Thing, at: number) {
  const sent: Sent[] = [];
  let stopping = false;
  const ended = (async () => {
    const values = fc.sample(fc.constantFrom(3, 5, 7, 9, 12), {
      seed: seed + at,
      numRuns: recordsMax,
    });
    let s = startS;
    for (const value of values) {
      const nowS = Math.floor(Date.now() / 1_000);
      s = Math.max(s + stepS, nowS - agoSMax);
      await delay(Math.max(0, s - nowS) * 1_000);
      if (stopping) return;
      while (!(await isTaken(thing, [{ n: 't', t: s, v: value }]))) await delay(betweenMs);
      sent.push({ s, value });
      await delay(betweenMs);
    }
  })();
  return {
    sent,
    async stop() {
      stopping = true;
      await ended;
    },
  };
}

async function isTaken(thing: Thing, records: object[]): Promise<boolean> {
  try {
    return (await fleet.publish(thing.key, records)).status === 202;
  } catch {
    // The edge was killed.
    return false;
  }
}

/** Makes a rule whose notices go to a path of the receiver: its id. */
async function makeRule(thing: Thing, members: object): Promise<string> {
  const id = randomUUID();
  const webhookId = randomUUID();
  const { condition, forS, clearForS } = Object(members);
  await pool.query(
    `INSERT INTO webhooks (id, group_id, name, url, messages) VALUES ($1, $2, 'webhook', $3, false)`,
    [webhookId, thing.groupId, receiver.url(pathOf(id))],
  );
  await pool.query(
    `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity, receivers)
     VALUES ($1, $2, 'rule', 'all', $3, $4, $5, 'warning', $6)`,
    [
      id,
      thing.groupId,
      JSON.stringify([condition]),
      forS,
      clearForS,
      JSON.stringify({ webhook_ids: [webhookId] }),
    ],
  );
  return id;
}

const pathOf = (ruleId: string) => `/${ruleId}`;

/** How many transitions of a rule came to its receiver; each of those that are shown is in one notice. */
function arrived(ruleId: string): number {
  const notices = noticesAt(receiver, pathOf(ruleId));
  const shown = notices.flatMap(({ transitions }) =>
    transitions.map(({ alarm_id: id, transition }) => `${id} ${transition}`),
  );
  expect(new Set(shown).size).toBe(shown.length);
  return notices.reduce((sum, { count }) => sum + count, 0);
}

type Row = {
  began: number;
  fired: number;
  ended: number | null;
  episode: number;
  notices: string[];
};

async function stored(ruleId: string, thingId: string): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `SELECT extract(epoch FROM began_at)::float8 AS began, extract(epoch FROM fired_at)::float8 AS fired,
            extract(epoch FROM ended_at)::float8 AS ended, episode,
            (SELECT array_agg(transition ORDER BY at, transition DESC) FROM alarm_notices WHERE alarm_id = alarms.id) AS notices
     FROM alarms WHERE rule_id = $1 AND thing_id = $2 ORDER BY episode`,
    [ruleId, thingId],
  );
  return rows;
}

it(`alarms are those of the records, and each transition is in one notice, whoever is killed (FAULTS_SEED=${seed})`, {
  timeout: kills * killMsMax,
}, async () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const all = await Promise.all(Array.from({ length: things }, () => fleet.thing()));
  const [first] = all;
  if (first === undefined) throw new Error('there is no thing');
  const condition = { name: 't', when: '>', value: 8 };
  const ids = [
    await makeRule(first, { condition, forS: 0, clearForS: 0 }),
    await makeRule(first, { condition, forS: 2, clearForS: 0 }),
    await makeRule(first, {
      condition: { ...condition, clear: { when: '<', value: 4 } },
      forS: 1,
      clearForS: 1,
    }),
  ];
  const rules = (await loadRules(rowsOf(pool))).filter(({ id }) => ids.includes(id));
  // A change of rules counts within a second.
  for (const thing of all) {
    await eventually(async () => {
      await isTaken(thing, [{ n: 't', t: startS - 2, v: 100 }]);
      return (await stored(ids[0] ?? '', thing.id)).length === 1;
    });
    await isTaken(thing, [{ n: 't', t: startS - 1, v: 0 }]);
  }
  const senders = all.map(send);
  const count = () => senders.reduce((sum, { sent }) => sum + sent.length, 0);
  for (const { victims, afterMs } of fc.sample(turn, { seed, numRuns: kills })) {
    const before = count();
    await eventually(() => count() > before + 60, waitMsMax);
    await delay(afterMs);
    await Promise.all(victims.map((victim) => system.kill(victim, 'SIGKILL')));
  }
  await Promise.all(senders.map((sender) => sender.stop()));
  let told = 0;
  const toldOf = new Map<string, number>();
  for (const rule of rules) {
    for (const [at, thing] of all.entries()) {
      const known: Sent[] = [
        { s: startS - 2, value: 100 },
        { s: startS - 1, value: 0 },
      ];
      const records = [...known, ...(senders[at]?.sent ?? [])].map(({ s, value }) => ({
        condition: 0,
        timeUs: s * 1_000_000,
        value,
      }));
      const expected = alarmsIn(rule, records).map(({ beganUs, firedUs, endedUs }, index) => ({
        began: beganUs / 1_000_000,
        fired: firedUs / 1_000_000,
        ended: endedUs === undefined ? null : endedUs / 1_000_000,
        episode: index + 1,
        notices: endedUs === undefined ? ['fired'] : ['fired', 'ended'],
      }));
      const transitions = expected.reduce((sum, { notices }) => sum + notices.length, 0);
      told += transitions;
      toldOf.set(rule.id, (toldOf.get(rule.id) ?? 0) + transitions);
      await eventually(async () => {
        expect(await stored(rule.id, thing.id)).toEqual(expected);
        return true;
      }, waitMsMax);
    }
  }
  for (const { id } of rules) {
    await eventually(() => arrived(id) >= (toldOf.get(id) ?? 0), waitMsMax);
    expect(arrived(id)).toBe(toldOf.get(id));
  }
  const deliveries = rules.flatMap(({ id }) => receiver.at(pathOf(id)));
  const notices = new Set(deliveries.map(({ headers }) => headers['webhook-id']));
  process.stdout.write(
    `${count()} records, ${kills} kills, ${told} transitions, ${notices.size} notices, ${deliveries.length} deliveries\n`,
  );
});
