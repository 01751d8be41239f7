import { errorBody, errorTable } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { Credential } from '../../auth/credential.ts';
import type { FoundDevices } from '../../intake/gateways/devices.ts';
import type { Source } from '../../intake/intake.ts';
import { type BodyRoom, KeptBody } from '../../intake/kept-body.ts';
import type { Refusal } from '../../intake/refusal.ts';
import type { ConnectionOwner } from '../thing-connections.ts';

/** The connection of a stream; it ends once. */
export type Connection = {
  /** Bytes that were sent, and that the client has not taken yet. */
  bufferedBytes(): number;
  /** What `send` is given meanwhile goes out together. */
  cork(write: () => void): void;
  send(text: string): void;
  end(code: number, reason: string): void;
};

/** Why the edge ends a stream: the code and the reason of its close frame. */
export type Ending = { code: number; reason: string };

export const beyondWindow: Ending = {
  code: 1008,
  reason: `more than ${limits.streamWindowBytes} bytes without an answer`,
};

/** Messages that were refused together, by their numbers. */
type Refused = { from: number; to: number; refusal: Refusal };

/** In one turn of the event loop. Each costs as much as the reading of a message, and takes more than it brought. */
const refusalsMax = 64;

type HeldFrame = { bytes: KeptBody; isBinary: boolean };

/**
 * A connection over which one thing sends many messages. They are numbered from 1 on in the order in which they
 * come. Each is appended to the log as a part, or with others as one, or is refused; an ack tells up to which number
 * all of them are on the disk, but for those that were refused before it.
 */
export class Stream implements Source {
  readonly protocol = 'ws';
  /** Its network was looked at when it was opened. */
  readonly way = 0;
  readonly credential: Credential;
  readonly contentType: string;
  readonly subtopic: string;
  readonly requestId: string;
  readonly #network: string;
  /** The device that was looked up last, if a gateway sends. */
  found: FoundDevices | undefined;
  /** Whether its key, or a device, is being looked up. */
  isLookedUp = false;
  /** Whether it is among those that are told next. */
  isListed = false;
  /** Whose it is. */
  readonly owner: ConnectionOwner;

  #connection: Connection | undefined;
  #ending: Ending | undefined;
  /** Messages that came, that were answered, and up to which the client was told; and what they take of the window. */
  #received = 0;
  #receivedBytes = 0;
  #answered = 0;
  #answeredBytes = 0;
  #told = 0;
  #toldBytes = 0;
  /** Parts that are on their way to the disk. */
  #parts = 0;
  /** Refusals that the client was not told yet. */
  #refusals: Refused[] = [];
  /** Frames that wait for the key, and what they take of the window. */
  #held: HeldFrame[] = [];
  #heldBytes = 0;

  constructor(options: {
    owner: ConnectionOwner;
    credential: Credential;
    contentType: string;
    subtopic: string;
    requestId: string;
    network: string;
  }) {
    this.owner = options.owner;
    this.credential = options.credential;
    this.contentType = options.contentType;
    this.subtopic = options.subtopic;
    this.requestId = options.requestId;
    this.#network = options.network;
  }

  network(): string {
    return this.#network;
  }

  connect(connection: Connection): void {
    this.#connection = connection;
  }

  /** Sends a text that is no answer to messages. */
  send(text: string): void {
    this.#connection?.send(text);
  }

  /** The client has gone, or was sent away. */
  disconnect(): void {
    this.#connection = undefined;
    this.dropHeld();
  }

  /** Whether what comes is taken. */
  get isOpen(): boolean {
    return this.#connection !== undefined && this.#ending === undefined;
  }

  /** The part of the window that messages without an answer take. */
  get unansweredBytes(): number {
    return this.#receivedBytes - this.#toldBytes + this.#heldBytes;
  }

  /** The number of the message that came last. */
  get received(): number {
    return this.#received;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** One more has come. False: it is beyond the window, and not taken. */
  receive(cost: number): boolean {
    if (this.unansweredBytes + cost > limits.streamWindowBytes) return false;
    this.#received += 1;
    this.#receivedBytes += cost;
    return true;
  }

  /** The one that came last is to come once more. */
  takeBack(cost: number): void {
    this.#received -= 1;
    this.#receivedBytes -= cost;
  }

  /** Messages up to the last one are on their way to the disk. */
  appended(): void {
    this.#parts += 1;
  }

  /** A part is on the disk, up to this message, which is this far into the stream. */
  settled(to: number, bytesTo: number): void {
    this.#parts -= 1;
    this.#answered = to;
    this.#answeredBytes = bytesTo;
  }

  /** Refuses messages by their numbers. Those that are refused alike, one after the other, are told together. */
  refuse(from: number, to: number, refusal: Refusal): void {
    const last = this.#refusals.at(-1);
    if (last !== undefined && last.to + 1 === from && areAlike(last.refusal, refusal)) last.to = to;
    else this.#refusals.push({ from, to, refusal });
  }

  /** Whether so many of its messages were refused that it must be told before more are read. */
  get isRefusedOften(): boolean {
    return this.#refusals.length >= refusalsMax;
  }

  /** Whether there is something to tell that no commit will bring. */
  get isToBeTold(): boolean {
    return this.#refusals.length > 0 || (this.#parts === 0 && this.#received > this.#told);
  }

  /**
   * Sends what there is to tell. It waits while the client does not take what it was told before, and so does the
   * window: who does not read can't send.
   */
  tell(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const isOver = this.#ending !== undefined && this.#parts === 0;
    if (connection.bufferedBytes() > 0 && !isOver) return;
    if (this.#parts === 0) {
      this.#answered = this.#received;
      this.#answeredBytes = this.#receivedBytes;
    }
    if (this.#refusals.length > 0) connection.cork(() => this.#sendAll(connection));
    else this.#sendAck(connection);
    if (isOver && this.#ending !== undefined) {
      connection.end(this.#ending.code, this.#ending.reason);
    }
  }

  #sendAll(connection: Connection): void {
    const refusals = this.#refusals;
    this.#refusals = [];
    for (const { from, to, refusal } of refusals) {
      const { code, detail, retrySeconds } = refusal;
      const { error } = errorBody(code, detail, this.requestId);
      const { status } = errorTable[code];
      const refused = { from, to, status, error, code, retry_after: retrySeconds };
      connection.send(JSON.stringify({ refused }));
    }
    this.#sendAck(connection);
  }

  #sendAck(connection: Connection): void {
    if (this.#answered === this.#told) return;
    this.#told = this.#answered;
    this.#toldBytes = this.#answeredBytes;
    connection.send(`{"ack":${this.#told}}`);
  }

  /** Takes nothing more. It is closed once what came before is answered. */
  end(ending: Ending): void {
    this.#ending ??= ending;
    this.dropHeld();
    this.tell();
  }

  /** Closes it, and acknowledges nothing more: it is not known what became of the messages that came last. */
  breakOff({ code, reason }: Ending): void {
    this.#connection?.end(code, reason);
  }

  /** Whether frames wait for the key: those that come then wait after them. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Keeps a frame until the key is known. False: there is no room. */
  hold(frame: Uint8Array, isBinary: boolean, bodies: BodyRoom): boolean {
    const bytes = new KeptBody(bodies);
    if (!bytes.add(frame)) return false;
    this.#held.push({ bytes, isBinary });
    this.#heldBytes += frame.length;
    return true;
  }

  /** Gives each frame that waited to `take`, in order. */
  releaseHeld(take: (frame: Uint8Array, isBinary: boolean) => void): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const one of held) {
      // A part of a frame before it waits for a device.
      if (this.isHolding) {
        this.#held.push(one);
        this.#heldBytes += one.bytes.length;
        continue;
      }
      if (this.isOpen) take(one.bytes.bytes, one.isBinary);
      one.bytes.drop();
    }
  }

  dropHeld(): void {
    for (const { bytes } of this.#held) bytes.drop();
    this.#held = [];
    this.#heldBytes = 0;
  }
}

const areAlike = (one: Refusal, other: Refusal): boolean =>
  one.code === other.code && one.detail === other.detail;
