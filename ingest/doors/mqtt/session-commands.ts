import type { CommandListener, Commands, Listening } from '../../commands/commands.ts';
import type { DueCommand, TakenCommand } from '../../commands/sql.ts';
import { limits } from '../../limits.ts';
import type { Session } from './session.ts';
import { commandTopic, isOfCommands, matches } from './topics.ts';
import type { QoS } from './wire/packets.ts';

/** The commands that a session subscribes to. It listens while its client is connected. */
export class SessionCommands implements CommandListener {
  readonly thingId: string;
  readonly way = 'mqtt';
  readonly unacknowledgedMax = limits.commandsPerListenerMax;

  readonly #session: Session;
  readonly #commands: Commands;
  #listening: Listening | undefined;
  /** Commands in the outbox, and when they expire (ms): the client gets them again with its next connection. */
  readonly #sent = new Map<string, number>();

  constructor(session: Session, commands: Commands) {
    this.#session = session;
    this.#commands = commands;
    this.thingId = session.thingId;
  }

  /** Its subscriptions or its connection have changed. */
  changed(): void {
    const isWanted =
      this.#session.connection !== undefined &&
      [...this.#session.subscriptions.keys()].some(isOfCommands);
    if (!isWanted) return this.leave();
    if (this.#listening !== undefined) return this.#commands.changed(this.#listening);
    this.#listening = this.#commands.listen(this, { isNew: true });
  }

  /** Its client has gone, or wants none. */
  leave(): void {
    if (this.#listening !== undefined) this.#commands.leave(this.#listening, { isGone: true });
    this.#listening = undefined;
  }

  wants(command: DueCommand): boolean {
    return this.#qosOf(commandTopic(command)) !== undefined;
  }

  deliver(command: TakenCommand): void {
    const { id, text, expiresAtMs } = command;
    const topic = commandTopic(command);
    const qos = this.#qosOf(topic);
    if (qos === undefined || this.#isInOutbox(id)) return;
    if (qos > 0) this.#sent.set(id, expiresAtMs);
    const isTaken = this.#session.deliver({
      topic,
      payload: Buffer.from(text),
      // More than at least once makes no sense: a command has an id.
      qos: qos === 0 ? 0 : 1,
      retain: false,
      contentType: 'application/json',
      payloadIsText: true,
      expiresAtMs,
      onAcknowledged: () => this.#acknowledged(id),
    });
    // Whoever subscribes with QoS 0 wants each once at most.
    if (qos === 0 && isTaken) this.#acknowledged(id);
    if (!isTaken) this.#sent.delete(id);
  }

  #isInOutbox(id: string): boolean {
    const nowMs = Date.now();
    for (const [one, expiresAtMs] of this.#sent) if (expiresAtMs <= nowMs) this.#sent.delete(one);
    return this.#sent.has(id);
  }

  #acknowledged(id: string): void {
    this.#sent.delete(id);
    this.#commands.acknowledge(this.thingId, id);
  }

  #qosOf(topic: string): QoS | undefined {
    let found: QoS | undefined;
    for (const { filter, qos } of this.#session.subscriptions.values()) {
      if (matches(filter, topic) && (found === undefined || qos > found)) found = qos;
    }
    return found;
  }
}
