import { Latencies } from '../../infra/runtime/observability/latencies.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../infra/runtime/process/poll.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import type { Protocol } from '../../schemas/messages/protocols.ts';
import { limits } from '../limits.ts';
import { CommandAcks } from './acks.ts';
import {
  type DueCommand,
  type DuePlace,
  findDue,
  findNewlyDue,
  holdCommands,
  type TakenCommand,
  takeCommands,
} from './sql.ts';

/** Whoever gets the commands of a thing: a connection of it, or a request that waits. */
export type CommandListener = {
  readonly thingId: string;
  readonly way: Protocol;
  /** How many it takes that it has not acknowledged. */
  readonly unacknowledgedMax: number;
  wants(command: DueCommand): boolean;
  deliver(command: TakenCommand): void;
};

/** A listener, and the commands that it has and did not acknowledge. */
export class Listening {
  readonly listener: CommandListener;
  /** When each expires (ms). */
  readonly underWay = new Map<string, number>();
  /** Whether a command waits because it has as many as it takes. */
  isFull = false;

  constructor(listener: CommandListener) {
    this.listener = listener;
  }

  takes(command: DueCommand): boolean {
    if (this.underWay.has(command.id) || !this.listener.wants(command)) return false;
    const { unacknowledgedMax } = this.listener;
    if (this.underWay.size >= unacknowledgedMax) this.#forgetExpired(Date.now());
    if (this.underWay.size < unacknowledgedMax) return true;
    this.isFull = true;
    return false;
  }

  #forgetExpired(nowMs: number): void {
    for (const [id, expiresAtMs] of this.underWay) {
      if (expiresAtMs <= nowMs) this.underWay.delete(id);
    }
  }
}

/**
 * Hands commands out to the things that listen at this edge. PostgreSQL alone knows which there are; a notice, a look once
 * a second for what became due, and a slow round over all that listen tell when to ask it. Whatever is handed out stays
 * with this edge for a while, and then is due again: so a command of an edge that was killed comes by another one. All of
 * this has connections to PostgreSQL of its own: messages never wait for it.
 */
export class Commands {
  readonly stats = { delivered: 0, acknowledged: 0 };
  /** From the making of a command to the first time that it is handed out. */
  readonly waits = new Latencies();
  readonly acks: CommandAcks;

  readonly #pool: Pool;
  readonly #logger: Logger;
  readonly #byThing = new Map<string, Set<Listening>>();
  /** Things to look at; true: at all that they did not acknowledge. */
  #wanted = new Map<string, boolean>();
  #looking: Promise<void> | undefined;
  #place: DuePlace | undefined;
  #round: Iterator<string> | undefined;
  #hasFailed = false;
  /** Commands that things have, of which the hand-out under way may not have learnt from PostgreSQL. */
  #acknowledged = new Set<string>();
  readonly #stopPolling: () => Promise<void>;

  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
    this.acks = new CommandAcks(pool, logger, (count) => (this.stats.acknowledged += count));
    this.#stopPolling = startPolling(() => this.#poll(), {
      everyMs: limits.commandPollMs,
      onFailure: (error) => logger.warn({ error }, 'commands can not be looked for'),
    });
  }

  /** Things that listen. */
  get size(): number {
    return this.#byThing.size;
  }

  /**
   * From now on the listener gets the commands of its thing. With `isNew` also those that another listener has: it is a
   * connection, and that of before may be dead. Undefined: too many listen for the thing.
   */
  listen(listener: CommandListener, { isNew }: { isNew: boolean }): Listening | undefined {
    const { thingId } = listener;
    const all = this.#byThing.get(thingId) ?? new Set();
    if (all.size >= limits.commandListenersPerThingMax) return undefined;
    const listening = new Listening(listener);
    all.add(listening);
    this.#byThing.set(thingId, all);
    this.#look(thingId, isNew);
    return listening;
  }

  /** It was looked for what there is for all that listened before. False: PostgreSQL does not answer. */
  async looked(): Promise<boolean> {
    await this.#looking;
    return !this.#hasFailed;
  }

  /** A listener wants others than before. */
  changed({ listener }: Listening): void {
    this.#look(listener.thingId, false);
  }

  /** It gets no more. What it did not acknowledge is due at once if it is gone, else when its time here is over. */
  leave(listening: Listening, { isGone }: { isGone: boolean }): void {
    const { thingId } = listening.listener;
    const all = this.#byThing.get(thingId);
    if (all?.delete(listening) !== true) return;
    if (all.size === 0) this.#byThing.delete(thingId);
    if (!isGone) return;
    const others = [...all];
    for (const id of listening.underWay.keys()) {
      if (!others.some((one) => one.underWay.has(id))) this.acks.release(id);
    }
  }

  /** The thing has a command. It is written down within a moment; if it can't be, the thing gets it again. */
  acknowledge(thingId: string, id: string): void {
    this.acknowledged(thingId, id);
    this.acks.add(thingId, id);
  }

  /** The thing has a command, which is written down already. */
  acknowledged(thingId: string, id: string): void {
    if (this.#looking !== undefined) this.#acknowledged.add(id);
    for (const one of this.#byThing.get(thingId) ?? []) {
      one.underWay.delete(id);
      if (!one.isFull) continue;
      one.isFull = false;
      this.#look(thingId, false);
    }
  }

  /** There may be commands for these things; undefined: for any. */
  notice(things: readonly string[] | undefined): void {
    if (things === undefined) void this.#poll().catch(() => undefined);
    else for (const id of things) if (this.#byThing.has(id)) this.#look(id, false);
  }

  /** Writes down what is known, as far as that can be done. */
  async stop(): Promise<void> {
    await this.#stopPolling();
    this.#wanted.clear();
    await this.#looking;
    for (const all of this.#byThing.values()) {
      for (const one of all) this.leave(one, { isGone: true });
    }
    await this.acks.stop();
  }

  #look(thingId: string, all: boolean): void {
    this.#wanted.set(thingId, all || (this.#wanted.get(thingId) ?? false));
    // In a turn of its own: what listens in this turn is looked at together.
    this.#looking ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#lookAtWanted())
      .finally(() => (this.#looking = undefined));
  }

  async #lookAtWanted(): Promise<void> {
    while (this.#wanted.size > 0) {
      const wanted = [...this.#wanted].slice(0, limits.commandThingsAtOnce);
      for (const [id] of wanted) this.#wanted.delete(id);
      for (const all of [true, false]) {
        const things = wanted.flatMap(([id, isAll]) => (isAll === all ? [id] : []));
        if (things.length === 0) continue;
        try {
          await this.#handOut(things, all);
          this.#hasFailed = false;
        } catch (error) {
          for (const id of things) if (this.#byThing.has(id)) this.#wanted.set(id, all);
          if (!this.#hasFailed) this.#logger.warn({ error }, 'commands can not be taken');
          this.#hasFailed = true;
          // With the next poll, or the next one that listens.
          return;
        }
      }
    }
  }

  async #handOut(things: readonly string[], all: boolean): Promise<void> {
    this.#acknowledged = new Set(this.acks.waiting());
    const due = await findDue(this.#pool, things, all);
    const wanted: { id: string; way: string }[] = [];
    const held: string[] = [];
    for (const command of due) {
      const listening = [...(this.#byThing.get(command.thingId) ?? [])];
      const [taker] = listening.filter((one) => one.takes(command));
      if (taker !== undefined) wanted.push({ id: command.id, way: taker.listener.way });
      else if (listening.some(({ underWay }) => underWay.has(command.id))) held.push(command.id);
    }
    if (held.length > 0) await holdCommands(this.#pool, held, limits.commandHeldSeconds);
    if (wanted.length === 0) return;
    const taken = await takeCommands(this.#pool, wanted, all, limits.commandHeldSeconds);
    for (const command of taken) this.#deliver(command);
  }

  #deliver(command: TakenCommand): void {
    if (this.#acknowledged.has(command.id)) return;
    let isDelivered = false;
    for (const one of this.#byThing.get(command.thingId) ?? []) {
      if (!one.takes(command)) continue;
      one.underWay.set(command.id, command.expiresAtMs);
      one.listener.deliver(command);
      isDelivered = true;
    }
    if (!isDelivered) return this.acks.release(command.id);
    this.stats.delivered += 1;
    if (command.waitedMs !== undefined) this.waits.observe(command.waitedMs);
  }

  async #poll(): Promise<Polled> {
    if (this.#byThing.size === 0) {
      this.#place = undefined;
      return 'nothing';
    }
    for (const id of this.#nextOfRound()) this.#look(id, false);
    const found = await findNewlyDue(this.#pool, this.#place, {
      overlapSeconds: limits.commandOverlapSeconds,
      rowsMax: limits.commandsPolledMax,
    });
    this.#place = found.place;
    for (const id of found.things) if (this.#byThing.has(id)) this.#look(id, false);
    return found.isAll ? 'some' : 'more';
  }

  /** Some of the things that listen: all of them in a minute. */
  *#nextOfRound(): Generator<string> {
    const atOnce = Math.ceil((this.#byThing.size * limits.commandPollMs) / limits.commandRoundMs);
    for (let left = atOnce; left > 0; left--) {
      this.#round ??= this.#byThing.keys();
      const { done, value } = this.#round.next();
      if (done === true) {
        this.#round = undefined;
        return;
      }
      yield value;
    }
  }
}
