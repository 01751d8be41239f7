import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteCorrections } from '../../infra/runtime/alarms/corrections.ts';
import { limits } from '../../workers/limits.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';
import { metric, Site } from './world.ts';

/** Corrections wait for the store. */
const correctedMsMax = 45_000;
const hourS = 3_600;

let fleet: Fleet;
const sites: Site[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(async () => {
  for (const site of sites) await site.close();
  await fleet.close();
});

type Told = { history: boolean; began: number; ended: number | null };

/** A rule of a thing; times count from a moment that is the same for all. */
async function openRule() {
  const site = await Site.open(['freezer']);
  sites.push(site);
  const id = await site.rule({ receivers: { mails: ['night@example.com'] } });
  const thing = site.thing();
  const zeroS = Math.floor(Date.now() / 1_000) - 60;
  const send = async (...records: [atS: number, value: number][]) => {
    const pack = records.map(([atS, v]) => ({ n: 'temperature', t: zeroS + atS, v }));
    expect((await fleet.publish(thing.key, pack)).status).toBe(202);
  };
  const alarms = () =>
    site.rows<Told>(
      `SELECT history, extract(epoch FROM began_at)::float8 - $2 AS began,
              extract(epoch FROM ended_at)::float8 - $2 AS ended
       FROM alarms WHERE rule_id = $1 ORDER BY began_at`,
      [id, zeroS],
    );
  /** Edges know of a rule within a second: until then the first records are of no rule. */
  const known = async () => {
    let atS = -30;
    await eventually(async () => {
      await send([(atS += 0.01), 9]);
      return (await alarms()).length === 1;
    });
    await send([0, 5]);
    await eventually(async () => expect((await alarms())[0]?.ended).toBe(0));
  };
  return { site, id, send, alarms, known };
}

describe.concurrent('records that come late', () => {
  it('make history of alarms, of which nobody is told', async () => {
    const { site, id, send, alarms, known } = await openRule();
    await known();
    const [present] = await alarms();
    const agoS = -3 * hourS;
    await send([agoS, 5], [agoS + 60, 9], [agoS + 120, 10], [agoS + 180, 5]);
    await eventually(
      async () =>
        expect(await alarms()).toEqual([
          { history: true, began: agoS + 60, ended: agoS + 180 },
          present,
        ]),
      correctedMsMax,
    );
    expect(await site.fates(id)).toHaveLength(2);
    // A record between that was not hot makes two of it.
    await send([agoS + 90, 4]);
    await eventually(
      async () =>
        expect(await alarms()).toEqual([
          { history: true, began: agoS + 60, ended: agoS + 90 },
          { history: true, began: agoS + 120, ended: agoS + 180 },
          present,
        ]),
      correctedMsMax,
    );
    expect(await site.fates(id)).toHaveLength(2);
  }, 120_000);

  it('make history with the values and units that they have', async () => {
    const { site, id, known } = await openRule();
    await known();
    const agoS = Math.floor(Date.now() / 1_000) - 3 * hourS;
    const pack = [5, 9, 6].map((v, at) => ({ n: 'temperature', u: 'Cel', t: agoS + at, v }));
    expect((await fleet.publish(site.thing().key, pack)).status).toBe(202);
    const history = () =>
      site.rows('SELECT began_values, ended_values FROM alarms WHERE rule_id = $1 AND history', [
        id,
      ]);
    await eventually(
      async () =>
        expect(await history()).toEqual([
          {
            began_values: [{ name: 'temperature', value: 9, unit: 'Cel' }],
            ended_values: [{ name: 'temperature', value: 6, unit: 'Cel' }],
          },
        ]),
      correctedMsMax,
    );
  });

  it('correct the times of an alarm that receivers were told of, and keep it', async () => {
    const { site, id, send, alarms, known } = await openRule();
    await known();
    await send([10, 9]);
    await eventually(async () => expect(await alarms()).toHaveLength(2));
    await send([20, 5]);
    await eventually(async () => expect((await alarms())[1]?.ended).toBe(20));
    await send([5, 9], [15, 12]);
    await eventually(
      async () => expect((await alarms())[1]).toEqual({ history: false, began: 5, ended: 20 }),
      correctedMsMax,
    );
    expect(await alarms()).toHaveLength(2);
    expect(await site.fates(id)).toHaveLength(4);
  });

  it('are held against all that was before, however long a breach lasted', async () => {
    const { send, alarms, known } = await openRule();
    await known();
    const [present] = await alarms();
    const dayS = 24 * hourS;
    await send([-5 * dayS, 9], [-4 * dayS, 9], [-3 * dayS, 9], [-2 * dayS, 9]);
    await send([-dayS, 5]);
    await eventually(
      async () =>
        expect(await alarms()).toEqual([
          { history: true, began: -5 * dayS, ended: -dayS },
          present,
        ]),
      correctedMsMax,
    );
  }, 120_000);

  it('leave an alarm that goes on', async () => {
    const { site, id, send, alarms, known } = await openRule();
    await known();
    await send([10, 9]);
    await eventually(async () => expect(await alarms()).toHaveLength(2));
    await send([5, 9]);
    const waiting = () => site.rows('SELECT FROM alarm_corrections WHERE rule_id = $1', [id]);
    await eventually(async () => expect(await waiting()).toHaveLength(1));
    await eventually(async () => expect(await waiting()).toHaveLength(0), correctedMsMax);
    expect((await alarms())[1]).toEqual({ history: false, began: 10, ended: null });
  });
});

it('records that come late correct history once the store has them, however long that takes', async () => {
  const { site, id, send, alarms, known } = await openRule();
  await known();
  const letGo = await holdStore(site);
  try {
    const agoS = -2 * hourS;
    await send([agoS, 5], [agoS + 60, 9], [agoS + 120, 5]);
    const waits = () =>
      site.rows<{ due: string }>(
        'SELECT due_at::text AS due FROM alarm_corrections WHERE rule_id = $1',
        [id],
      );
    await eventually(async () => (await waits()).length === 1);
    await site.rows('UPDATE alarm_corrections SET due_at = now() WHERE rule_id = $1', [id]);
    const tries = new Set<string>();
    await eventually(async () => {
      const [one] = await waits();
      if (one !== undefined) tries.add(one.due);
      // It was taken and postponed, and taken again.
      return tries.size >= 4;
    }, correctedMsMax);
    expect(await alarms()).toHaveLength(1);
  } finally {
    await letGo();
  }
  await eventually(async () => expect(await alarms()).toHaveLength(2), correctedMsMax);
});

it('history is looked at again in turns by org, however much of one waits', async () => {
  const large = await Site.open(Array.from({ length: 30 }, (_, at) => `freezer ${at}`));
  const small = await Site.open(['freezer']);
  sites.push(large, small);
  const ofLarge = await large.rule();
  const ofSmall = await small.rule();
  const lateOf = (ruleId: string, { things }: Site) =>
    things.map(({ id: thingId }) => ({ ruleId, thingId, fromUs: 0, toUs: 1, onlyIfAlarm: false }));
  const letGo = await holdStore(large);
  try {
    await noteCorrections(large.rows, [...lateOf(ofLarge, large), ...lateOf(ofSmall, small)]);
    await large.rows(
      `UPDATE alarm_corrections
       SET due_at = now() - make_interval(secs => CASE WHEN rule_id = $1 THEN 60 ELSE 0 END), noted_at = '-infinity'
       WHERE rule_id = ANY ($2)`,
      [ofLarge, [ofLarge, ofSmall]],
    );
    const firstTaken = () =>
      large.rows<{ taken: number; isSmall: boolean }>(
        `SELECT count(*)::integer AS taken, bool_or(rule_id = $1) AS "isSmall" FROM alarm_corrections
         WHERE rule_id = ANY ($2) AND noted_at > '-infinity'
         GROUP BY noted_at ORDER BY noted_at LIMIT 1`,
        [ofSmall, [ofLarge, ofSmall]],
      );
    const taken = await eventually(async () => (await firstTaken())[0] ?? false);
    expect(taken).toEqual({ taken: limits.correctionsAtOnceMax, isSmall: true });
  } finally {
    await letGo();
  }
});

it('history is corrected although more records come late all the time', async () => {
  const { site, id, send, alarms, known } = await openRule();
  await known();
  const [present] = await alarms();
  const agoS = -3 * hourS;
  const atUs = (Math.floor(Date.now() / 1_000) - 3 * hourS) * 1_000_000;
  const late = { ruleId: id, thingId: site.thing().id, fromUs: atUs, toUs: atUs };
  let comesMore = true;
  // As of a device whose clock is hours late, and which has sent for minutes.
  const coming = (async () => {
    while (comesMore) {
      await noteCorrections(site.rows, [{ ...late, onlyIfAlarm: false }]);
      await site.rows(
        `UPDATE alarm_corrections SET due_at = now(), since = now() - make_interval(secs => $2) WHERE rule_id = $1`,
        [id, 2 * limits.correctionOvertakenS],
      );
    }
  })();
  try {
    await send([agoS, 5], [agoS + 60, 9], [agoS + 120, 5]);
    await eventually(
      async () =>
        expect(await alarms()).toEqual([
          { history: true, began: agoS + 60, ended: agoS + 120 },
          present,
        ]),
      correctedMsMax,
    );
  } finally {
    comesMore = false;
    await coming;
  }
  const waiting = () => site.rows('SELECT FROM alarm_corrections WHERE rule_id = $1', [id]);
  await eventually(async () => expect(await waiting()).toHaveLength(0), correctedMsMax);
});

it('history that can not be corrected is tried again, and operators see for how long it has waited', async () => {
  const site = await Site.open(['freezer']);
  sites.push(site);
  const id = await site.rule();
  const waitedS = 3_600;
  const failed = await metric('millrace_alarm_corrections_failures_total');
  // PostgreSQL has no such time.
  const impossibleUs = '-9000000000000000000';
  await site.rows(
    `INSERT INTO alarm_corrections (rule_id, thing_id, org_id, from_us, to_us, due_at, since)
     VALUES ($1, $2, $3, $4, $4, now(), now() - make_interval(secs => $5))`,
    [id, site.thing().id, site.estate.orgId, impossibleUs, waitedS],
  );
  const oldestS = () => metric('millrace_alarm_corrections_oldest_seconds');
  try {
    await eventually(async () => expect(await oldestS()).toBeGreaterThanOrEqual(waitedS));
    for (const times of [1, 2]) {
      await eventually(async () =>
        expect(await metric('millrace_alarm_corrections_failures_total')).toBeGreaterThanOrEqual(
          failed + times,
        ),
      );
      await site.rows('UPDATE alarm_corrections SET due_at = now() WHERE rule_id = $1', [id]);
    }
    expect(await oldestS()).toBeGreaterThanOrEqual(waitedS);
  } finally {
    await site.rows('DELETE FROM alarm_corrections WHERE rule_id = $1', [id]);
  }
  await eventually(async () => expect(await oldestS()).toBeLessThan(waitedS));
});

/** The store lacks messages of an edge, until it is let go. */
async function holdStore(site: Site): Promise<() => Promise<void>> {
  const held = randomUUID();
  await site.rows('INSERT INTO logs (id, settled) VALUES ($1, 0)', [held]);
  return async () => {
    await site.rows('DELETE FROM logs WHERE id = $1', [held]);
  };
}
