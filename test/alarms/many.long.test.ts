import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import { loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { percentile } from '../support/statistics.ts';
import { system } from '../support/system.ts';
import { Site } from './world.ts';

const pairs = Number(process.env['FAULTS_FIRING_PAIRS'] ?? 300_000);
const betweenMs = 100;
const endedMsMax = 10 * 60_000;

let fleet: Fleet;
let admin: string;
let site: Site;
let other: Site;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  admin = await loginAdmin();
  site = await Site.open(['one of many']);
  other = await Site.open(['neighbour']);
});

afterAll(async () => {
  await site.close();
  await other.close();
  await fleet.close();
});

/** A rule that fires for so many things. */
async function firing(): Promise<string> {
  const ruleId = await site.rule();
  const newest = {
    timeUs: 1,
    intervalUs: 0,
    intervalBeforeUs: 0,
    breach: true,
    clears: false,
    value: 20,
  };
  await site.rows(
    `WITH made AS (
       INSERT INTO things (id, name, type, profile_id, group_id, key_lookup, key_sealed)
       SELECT gen_random_uuid(), $1::text || number, 'sensor', profile_id, group_id,
              uuid_send(gen_random_uuid()), key_sealed
       FROM things, generate_series(1, $2) AS number
       WHERE things.id = $3
       RETURNING id, group_id
     ),
     fired AS (
       INSERT INTO alarms (id, rule_id, thing_id, group_id, episode, rule_name, severity, clock, began_at, fired_at)
       SELECT uuid_v7(), $1::uuid, id, group_id, 1, 'rule', 'info', 'record', now(), now() FROM made
       RETURNING id, thing_id
     )
     INSERT INTO alarm_states (rule_id, thing_id, state, since_us, gap_us, alarm_id, episode, newest)
     SELECT $1::uuid, thing_id, 'firing', 1, 0, id, 1, $4 FROM fired`,
    [ruleId, pairs, site.thing().id, JSON.stringify([newest])],
  );
  return ruleId;
}

/** From a record of a neighbour until its alarm is there, and back, until stopped. */
function neighbour(ruleId: string) {
  const ms: number[] = [];
  let stopping = false;
  const open = () =>
    other.rows('SELECT FROM alarms WHERE rule_id = $1 AND ended_at IS NULL', [ruleId]);
  const ended = (async () => {
    while (!stopping) {
      for (const [v, count] of [
        [9, 1],
        [5, 0],
      ] as const) {
        const sentMs = performance.now();
        const record = { n: 'temperature', t: Date.now() / 1_000, v };
        expect((await fleet.publish(other.thing().key, [record])).status).toBe(202);
        await eventually(async () => (await open()).length === count, endedMsMax);
        ms.push(performance.now() - sentMs);
        await delay(betweenMs);
      }
    }
  })();
  return {
    ms,
    async stop() {
      stopping = true;
      await ended;
    },
  };
}

const rest = (ruleId: string) =>
  site.rows('SELECT FROM alarms WHERE rule_id = $1 AND ended_at IS NULL LIMIT 1', [ruleId]);

it.each([
  ['changed', 'PUT', { conditions: [{ name: 'temperature', when: '>', value: 50 }] }],
  ['disabled', 'PUT', { enabled: false }],
  ['deleted', 'DELETE', undefined],
] as const)(`a rule of ${pairs} alarms is %s while others are told`, async (what, method, body) => {
  const ofNeighbour = await other.rule();
  await eventually(async () => {
    await fleet.publish(other.thing().key, [{ n: 'temperature', t: Date.now() / 1_000, v: 9 }]);
    return (await other.rows('SELECT FROM alarms WHERE rule_id = $1', [ofNeighbour])).length > 0;
  });
  await fleet.publish(other.thing().key, [{ n: 'temperature', t: Date.now() / 1_000, v: 5 }]);
  const ruleId = await firing();
  const beside = neighbour(ofNeighbour);
  await eventually(() => beside.ms.length >= 20, endedMsMax);
  const quiet = beside.ms.splice(0);
  const askedMs = performance.now();
  const answer = await call(method, `/rules/${ruleId}`, { as: admin, body });
  const answeredMs = performance.now() - askedMs;
  process.stdout.write(`${what}: answered ${answer.status} after ${Math.round(answeredMs)} ms\n`);
  await eventually(async () => (await rest(ruleId)).length === 0, endedMsMax);
  const endedMs = performance.now() - askedMs;
  await beside.stop();
  process.stdout.write(
    `${what}: all ended after ${Math.round(endedMs)} ms; a neighbour's alarm before p50 ${Math.round(percentile(quiet, 0.5))}, max ${Math.round(Math.max(...quiet))}, meanwhile p50 ${Math.round(percentile(beside.ms, 0.5))}, max ${Math.round(Math.max(...beside.ms))} ms\n`,
  );
  expect(answer.status).toBeLessThan(300);
  await other.rows('DELETE FROM rules WHERE id = $1', [ofNeighbour]);
});
