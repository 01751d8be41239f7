import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { expect } from 'vitest';
import { makeCommand } from '../../../infra/runtime/commands/make.ts';
import { rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import {
  acknowledgeCommands,
  findDue,
  holdCommands,
  releaseCommands,
  takeCommands,
} from '../../../ingest/commands/sql.ts';
import { call, json } from '../api/http.ts';
import { createdAt, createThings, type Estate, type People } from '../api/people.ts';

/** Hours pass as the test says: what the test itself takes is nothing beside them. */
const hourSeconds = 3_600;
const heldHours = 3;
const livesHoursMax = 6;
const waitingMax = 4;
const perGroupMax = 10;
const thingsOfRun = 2;
const edgesOfRun = 2;

const which = fc.nat({ max: thingsOfRun - 1 });
const edge = fc.nat({ max: edgesOfRun - 1 });
const some = fc.nat({ max: 20 });
const hours = fc.integer({ min: 1, max: livesHoursMax });
const way = fc.constantFrom('http', 'ws', 'mqtt');
const all = fc.boolean();
/** Who acknowledges: the thing of the command, but for one time in four. */
const whose = fc.constantFrom('own', 'own', 'own', 'other');

/**
 * A step of a person, an edge, a thing or time. Edges take turns between one statement and the next; most often one
 * finds and takes at once.
 */
export const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('send' as const), which, hours }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sendToGroup' as const), hours }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), edge, all }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const), edge, way, all }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('handOut' as const), edge, way, all }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hold' as const), edge }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), edge }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), edge }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('acknowledge' as const), some, whose }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), hours }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A command as it should be. Times are hours since the run began. */
type Known = {
  id: string;
  thing: string;
  group: string;
  expiresAt: number;
  dueAt: number | undefined;
  isDelivered: boolean;
  by: string | undefined;
  deliveries: number;
  isAcknowledged: boolean;
};

/** Commands that an edge found, and those that it has taken. */
type Edge = { found: string[]; has: Set<string> };

/** Who sends commands, where things are, and the database. */
type Context = { as: string; sender: string; estate: Estate; people: People; pool: Pool };

/** Things, edges and commands, as they are and as they should be. */
export class World {
  readonly #context: Context;
  readonly #profiles: readonly [string, string];
  readonly #groups: readonly [string, string];
  readonly #things: string[];
  readonly #isAway = new Set<string>();
  readonly #edges: readonly Edge[];
  #known: Known[] = [];
  #now = 0;

  private constructor(
    context: Context,
    groups: [string, string],
    profiles: [string, string],
    things: string[],
  ) {
    this.#context = context;
    this.#groups = groups;
    this.#profiles = profiles;
    this.#things = things;
    this.#edges = Array.from({ length: edgesOfRun }, () => ({ found: [], has: new Set() }));
  }

  static async make(context: Context): Promise<World> {
    const { as, estate } = context;
    const body = { name: randomUUID() };
    const group = await createdAt(`/orgs/${estate.orgId}/groups`, as, body);
    const profile = await createdAt(`/groups/${group}/profiles`, as, [{ name: 'profile' }]);
    const given = Array.from({ length: thingsOfRun }, () => ({
      name: randomUUID(),
      type: 'device',
    }));
    const things = await createThings(as, profile, given);
    return new World(
      context,
      [group, estate.groupId],
      [profile, estate.profileId],
      things.map(({ id }) => id),
    );
  }

  async do(one: Step): Promise<void> {
    switch (one.kind) {
      case 'send':
        return this.#send(one);
      case 'sendToGroup':
        return this.#sendToGroup(one);
      case 'look':
        return this.#look(one);
      case 'take':
        return this.#take(one);
      case 'handOut':
        await this.#look(one);
        return this.#take(one);
      case 'hold':
        return this.#hold(this.#edge(one.edge));
      case 'release':
        return this.#release(this.#edge(one.edge));
      case 'die':
        return this.#edge(one.edge).has.clear();
      case 'acknowledge':
        return this.#acknowledge(one);
      case 'withdraw':
        return this.#withdraw(one);
      case 'pass':
        return this.#pass(one.hours);
      case 'move':
        return this.#move(this.#thing(one.which));
    }
  }

  /** What people see is what should be. */
  async check(): Promise<void> {
    const seen: unknown[] = [];
    for (const id of this.#things) {
      const list = await call('GET', `/things/${id}/commands?limit=100`, { as: this.#context.as });
      seen.push(...Object(json(list)).commands);
    }
    const shown = seen.map((one) => {
      const { id, state, deliveries, delivered_by: by } = Object(one);
      return { id, state, deliveries, by };
    });
    const expected = this.#known.map((one) => ({
      id: one.id,
      state: this.#stateOf(one),
      deliveries: one.deliveries,
      by: one.by,
    }));
    mustBe(shown.toSorted(byId), expected.toSorted(byId));
  }

  /** Once everything is acknowledged or has expired, nothing is due. */
  async end(): Promise<void> {
    await this.check();
    await this.#pass(livesHoursMax);
    await this.check();
    mustBe(await findDue(this.#context.pool, this.#things, true), []);
  }

  #thing = (index: number): string => this.#things[index] ?? '';

  #edge(index: number): Edge {
    const found = this.#edges[index];
    if (found === undefined) throw new Error('no such edge');
    return found;
  }

  #stateOf(one: Known): string {
    if (one.isAcknowledged) return 'acknowledged';
    if (one.expiresAt <= this.#now) return 'expired';
    return one.isDelivered ? 'delivered' : 'queued';
  }

  #placeOf = (thing: string): string => this.#groups[this.#isAway.has(thing) ? 1 : 0];

  #isOpen = (one: Known): boolean => one.dueAt !== undefined && one.expiresAt > this.#now;

  #waitFor = (thing: string): number =>
    this.#known.filter((one) => one.thing === thing && this.#isOpen(one)).length;

  #make(to: { kind: 'thing' | 'group'; id: string }, lives: number) {
    const limits = { seconds: 0, perThingMax: waitingMax, perGroupMax };
    const given = { command: 'open', subtopic: '', expires_in: lives * hourSeconds };
    return makeCommand(
      rowsOf(this.#context.pool),
      to,
      { kind: 'user', id: this.#context.sender },
      given,
      limits,
    );
  }

  #learn(id: string, thing: string, lives: number): void {
    this.#known.push({
      id,
      thing,
      group: this.#placeOf(thing),
      expiresAt: this.#now + lives,
      dueAt: this.#now,
      isDelivered: false,
      by: undefined,
      deliveries: 0,
      isAcknowledged: false,
    });
  }

  async #send({ which: index, hours: lives }: { which: number; hours: number }): Promise<void> {
    const thing = this.#thing(index);
    const made = await this.#make({ kind: 'thing', id: thing }, lives);
    mustBe(made.kind, this.#waitFor(thing) < waitingMax ? 'made' : 'full');
    if (made.kind === 'made') this.#learn(made.id, thing, lives);
  }

  /** Things that are elsewhere get none, nor do those for which too many wait. */
  async #sendToGroup({ hours: lives }: { hours: number }): Promise<void> {
    const there = this.#things.filter((thing) => !this.#isAway.has(thing));
    const ready = there.filter((thing) => this.#waitFor(thing) < waitingMax);
    const made = await this.#make({ kind: 'group', id: this.#groups[0] }, lives);
    if (made.kind !== 'made') throw new Error(made.kind);
    mustBe(made.things.toSorted(), ready.toSorted());
    mustBe(made.leftOut, there.length - ready.length);
    const rows = await this.#context.people.rows(
      'SELECT id, thing_id FROM commands WHERE batch_id = $1',
      [made.id],
    );
    mustBe(rows.length, ready.length);
    for (const { id, thing_id: thing } of rows) this.#learn(String(id), String(thing), lives);
  }

  /** An edge finds what is due to things that are where they were, in the order in which it was sent. */
  async #look({ edge: index, all: isAll }: { edge: number; all: boolean }): Promise<void> {
    const due = this.#known.filter(
      (one) => this.#mayTake(one, isAll) && one.group === this.#placeOf(one.thing),
    );
    const found = (await findDue(this.#context.pool, this.#things, isAll)).map(({ id }) => id);
    mustBe(found, due.map(({ id }) => id).toSorted());
    this.#edge(index).found = found;
  }

  #mayTake = (one: Known, isAll: boolean): boolean =>
    this.#isOpen(one) && (isAll || Number(one.dueAt) <= this.#now);

  /** An edge takes commands that it found before, but none that another edge took, that expired or was withdrawn. */
  async #take(by: { edge: number; way: string; all: boolean }): Promise<void> {
    const { found, has } = this.#edge(by.edge);
    const free = this.#known.filter((one) => found.includes(one.id) && this.#mayTake(one, by.all));
    const wanted = found.map((id) => ({ id, way: by.way }));
    const taken = await takeCommands(this.#context.pool, wanted, by.all, heldHours * hourSeconds);
    mustBe(
      taken.map(({ id }) => id),
      free.map(({ id }) => id).toSorted(),
    );
    for (const one of free) {
      const got = taken.find(({ id }) => id === one.id);
      mustBe(got?.thingId, one.thing);
      // It is told how long it waited where nobody had it before.
      mustBe(got?.waitedMs === undefined, one.deliveries > 0);
      has.add(one.id);
      one.dueAt = this.#now + heldHours;
      one.deliveries += 1;
      one.isDelivered = true;
      one.by ??= by.way;
    }
  }

  async #hold({ has }: Edge): Promise<void> {
    await holdCommands(this.#context.pool, [...has], heldHours * hourSeconds);
    for (const one of this.#known) {
      if (has.has(one.id) && this.#isOpen(one)) one.dueAt = this.#now + heldHours;
    }
  }

  async #release({ has }: Edge): Promise<void> {
    await releaseCommands(this.#context.pool, [...has]);
    for (const one of this.#known) {
      if (has.has(one.id) && this.#isOpen(one)) one.dueAt = this.#now;
    }
    has.clear();
  }

  /** A thing acknowledges what it has or has not, late or twice; or what is another one's, which changes nothing. */
  async #acknowledge({ some: nth, whose: of }: { some: number; whose: string }): Promise<void> {
    const one = this.#nth(nth);
    if (one === undefined) return;
    const isOwn = of === 'own';
    const thingId = isOwn ? one.thing : (this.#things.find((id) => id !== one.thing) ?? '');
    const { known, fresh } = await acknowledgeCommands(this.#context.pool, [
      { id: one.id, thingId },
    ]);
    mustBe([...known], isOwn ? [one.id] : []);
    mustBe(fresh, isOwn && !one.isAcknowledged ? 1 : 0);
    if (!isOwn) return;
    one.isAcknowledged = true;
    one.isDelivered = true;
    one.dueAt = undefined;
  }

  /** Only what no edge has handed out can be taken back. */
  async #withdraw({ some: nth }: { some: number }): Promise<void> {
    const one = this.#nth(nth);
    if (one === undefined) return;
    const { status } = await call('DELETE', `/commands/${one.id}`, { as: this.#context.as });
    mustBe(status, this.#stateOf(one) === 'queued' ? 204 : 409);
    if (status === 204) this.#known = this.#known.filter((other) => other !== one);
  }

  #nth = (index: number): Known | undefined => this.#known[index % this.#known.length];

  /** Everything was so much earlier. */
  async #pass(passed: number): Promise<void> {
    this.#now += passed;
    await this.#context.people.rows(
      `UPDATE commands
       SET created_at = created_at - $2::interval, expires_at = expires_at - $2::interval,
           due_at = due_at - $2::interval, delivered_at = delivered_at - $2::interval,
           acknowledged_at = acknowledged_at - $2::interval
       WHERE thing_id = ANY ($1)`,
      [this.#things, `${passed} hours`],
    );
  }

  /** To another group, or back. */
  async #move(thing: string): Promise<void> {
    if (!this.#isAway.delete(thing)) this.#isAway.add(thing);
    const body = { profile_id: this.#profiles[this.#isAway.has(thing) ? 1 : 0] };
    const { status } = await call('PATCH', `/things/${thing}`, { as: this.#context.as, body });
    mustBe(status, 200);
  }
}

function mustBe(seen: unknown, expected: unknown): void {
  expect(seen).toEqual(expected);
}

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
