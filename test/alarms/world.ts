import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { Value } from 'typebox/value';
import type { SeriesValue } from '../../infra/runtime/alarms/history.ts';
import {
  endAlarms,
  insertAlarms,
  insertNotices,
  removeStates,
  saveStates,
} from '../../infra/runtime/alarms/writes.ts';
import { type Rows, rowsOf, transaction } from '../../infra/runtime/stores/postgres.ts';
import { noticeLogPrefix } from '../../schemas/internal/webhook-job.ts';
import { AlarmNotice } from '../../schemas/resources/alarm-notice.ts';
import type { Receivers } from '../../schemas/resources/rule.ts';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { plain } from '../support/services/mailbox.ts';
import { system } from '../support/system.ts';
import type { Received, Receiver } from '../webhooks/receiver.ts';

/** A thing of a site. */
type SiteThing = { id: string; key: string; name: string };

/** A thing for which an alarm fires or ends, with the time, the value and the unit of its record. */
type Moved = { thing: SiteThing; atMs: number; value: number; unit?: string };

type RuleMembers = {
  name?: string;
  conditions?: object[];
  receivers?: Receivers;
  forS?: number;
  repeatS?: number;
  thingIds?: string[];
};

const above = { name: 'temperature', when: '>', value: 8 };
export const silent = { when: 'silent' };

/** A group with things, its rules, and transitions of their alarms, as edges write them. */
export class Site {
  readonly estate: Estate;
  readonly things: readonly SiteThing[];
  readonly rows: Rows;
  readonly #pool: Pool;

  private constructor(estate: Estate, things: readonly SiteThing[], pool: Pool) {
    this.estate = estate;
    this.things = things;
    this.#pool = pool;
    this.rows = rowsOf(pool);
  }

  static async open(names: readonly string[]): Promise<Site> {
    const as = await loginAdmin();
    const estate = await createEstate(as);
    const given = names.map((name) => ({ name, type: 'sensor' }));
    const made = await createThings(as, estate.profileId, given);
    const things = made.map((thing, at) => ({ ...thing, name: names[at] ?? '' }));
    return new Site(estate, things, new Pool({ connectionString: system().databaseUrl, max: 2 }));
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  thing(at = 0): SiteThing {
    const found = this.things[at];
    if (found === undefined) throw new Error('there is no such thing');
    return found;
  }

  async rule(members: RuleMembers = {}): Promise<string> {
    const { name = 'cold room', conditions = [above], receivers = {} } = members;
    const { forS = 0, repeatS = null, thingIds = null } = members;
    const id = randomUUID();
    await this.rows(
      `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity, receivers, repeat_s,
                          thing_ids)
       VALUES ($1, $2, $3, 'all', $4, $5, 0, 'critical', $6, $7, $8)`,
      [
        id,
        this.estate.groupId,
        name,
        JSON.stringify(conditions),
        forS,
        JSON.stringify(receivers),
        repeatS,
        thingIds,
      ],
    );
    return id;
  }

  /** A webhook of the group. */
  async webhook(url: string): Promise<string> {
    const id = randomUUID();
    await this.rows(
      `INSERT INTO webhooks (id, group_id, name, url) VALUES ($1, $2, 'webhook', $3)`,
      [id, this.estate.groupId, url],
    );
    return id;
  }

  /** Alarms of a rule fire; gives their ids. */
  fire(ruleId: string, moved: readonly Moved[], clock: 'record' | 'receipt' = 'record') {
    return transaction(this.#pool, async (client) => {
      const rows = rowsOf(client);
      const [rule] = await rows<{ name: string; receivers: Receivers; repeat_s: number | null }>(
        'SELECT name, receivers, repeat_s FROM rules WHERE id = $1',
        [ruleId],
      );
      if (rule === undefined) throw new Error('there is no such rule');
      const numbered = await insertAlarms(
        rows,
        moved.map(({ thing, atMs, value, unit }) => ({
          ruleId,
          thingId: thing.id,
          groupId: this.estate.groupId,
          ruleName: rule.name,
          severity: 'critical',
          clock,
          beganUs: atMs * 1_000,
          firedUs: atMs * 1_000,
          beganValues: valuesOf({ value, unit }, clock),
          nth: 1,
        })),
      );
      const times = new Map(moved.map(({ thing, atMs }) => [thing.id, atMs * 1_000]));
      await saveStates(
        rows,
        numbered.map(({ id: alarmId, thingId, episode }) => ({
          ruleId,
          thingId,
          state: 'firing',
          sinceUs: times.get(thingId) ?? 0,
          gapUs: 0,
          alarmId,
          episode,
          newest: [],
          sequence: 0,
          repeatInS: rule.repeat_s,
        })),
        null,
      );
      await insertNotices(
        rows,
        numbered.map(({ id: alarmId, thingId, episode }) => ({
          alarmId,
          ruleId,
          orgId: this.estate.orgId,
          thingId,
          episode,
          transition: 'fired',
          atUs: times.get(thingId) ?? 0,
          receivers: rule.receivers,
        })),
      );
      return numbered;
    });
  }

  /** The alarms of a rule that go on end for things. */
  end(ruleId: string, moved: readonly Moved[]): Promise<void> {
    return transaction(this.#pool, async (client) => {
      const rows = rowsOf(client);
      const states = await rows<{
        thingId: string;
        alarmId: string;
        episode: number;
        sequence: number;
        receivers: Receivers;
      }>(
        `SELECT thing_id AS "thingId", alarm_id AS "alarmId", episode, sequence::integer, rules.receivers
         FROM alarm_states JOIN rules ON rules.id = rule_id
         WHERE rule_id = $1 AND thing_id = ANY ($2::uuid[])`,
        [ruleId, moved.map(({ thing }) => thing.id)],
      );
      const told = new Map(moved.map((one) => [one.thing.id, one]));
      const times = (thingId: string) => (told.get(thingId)?.atMs ?? 0) * 1_000;
      await endAlarms(
        rows,
        states.map(({ thingId, alarmId }) => ({
          alarmId,
          endedUs: times(thingId),
          values: valuesOf({ value: 0, ...told.get(thingId) }, 'record'),
          why: 'cleared',
        })),
      );
      const gone = states.map(({ thingId, sequence }) => ({
        ruleId,
        thingId,
        sequence,
        newest: [],
      }));
      await removeStates(rows, gone, null);
      await insertNotices(
        rows,
        states.map(({ thingId, alarmId, episode, receivers }) => ({
          alarmId,
          ruleId,
          orgId: this.estate.orgId,
          thingId,
          episode,
          transition: 'ended',
          atUs: times(thingId),
          receivers,
        })),
      );
    });
  }

  /** Receivers were told of the rule long ago: what waits is due now. */
  async passWindow(ruleId: string): Promise<void> {
    await this.rows('DELETE FROM alarm_rules_told WHERE rule_id = $1', [ruleId]);
    await this.rows(
      'UPDATE alarm_notices SET due_at = now() WHERE rule_id = $1 AND sent_at IS NULL',
      [ruleId],
    );
  }

  /** Of each transition of a rule, whether it waits, was told or was held. */
  async fates(ruleId: string): Promise<string[]> {
    const found = await this.rows<{ fate: string }>(
      `SELECT transition || ' ' || CASE WHEN sent_at IS NULL THEN 'waits' ELSE coalesce(held_why, 'told') END AS fate
       FROM alarm_notices WHERE rule_id = $1 ORDER BY made_at, at, transition DESC`,
      [ruleId],
    );
    return found.map(({ fate }) => fate);
  }
}

const valuesOf = (
  { value, unit }: { value: number; unit?: string | undefined },
  clock: 'record' | 'receipt',
): SeriesValue[] =>
  clock === 'record'
    ? [{ name: 'temperature', value, ...(unit === undefined ? {} : { unit }) }]
    : [];

/** Notices that a receiver got at a path, each once, by its `webhook-id`. */
export function noticesAt(receiver: Receiver, path: string): AlarmNotice[] {
  const byId = new Map(
    receiver
      .at(path)
      // A webhook of a group gets its messages, too.
      .filter(({ headers }) => String(headers['webhook-id']).startsWith(noticeLogPrefix))
      .map(({ headers, body }: Received) => [
        headers['webhook-id'],
        Value.Parse(AlarmNotice, JSON.parse(body.toString())),
      ]),
  );
  return [...byId.values()];
}

/** Mails to an address, in the order in which they were written; each with its subject and text. */
export function mailsTo(address: string): { subject: string; text: string }[] {
  const outbox = join(system().dataDir, 'outbox');
  return readdirSync(outbox)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => plain(readFileSync(join(outbox, name), 'utf8')))
    .filter((mail) => mail.includes(`To: ${address}\r\n`))
    .map((mail) => {
      const [head = '', ...rest] = mail.replaceAll('\r\n', '\n').split('\n\n');
      const [, subject = ''] = /^Subject: (.*(?:\n .*)*)$/m.exec(head) ?? [];
      return { subject: subject.replaceAll('\n', ''), text: rest.join('\n\n') };
    });
}

/** A metric of the workers. */
export async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${system().workersUrl}/metrics`)).text();
  const [, value] = new RegExp(`^${name} (.*)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`there is no ${name}`);
  return Number(value);
}
