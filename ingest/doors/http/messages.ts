import type { Tracing } from '../../../infra/runtime/observability/tracing.ts';
import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import { noCredential } from '../../auth/credential.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import type { Intake } from '../../intake/intake.ts';
import { malformed } from '../../codecs/rejected.ts';
import type { WantedDevices } from '../../intake/gateways/devices.ts';
import type { Refusal } from '../../intake/refusal.ts';
import type { Exchange } from './exchange.ts';
import { TracedMessage } from './traced-message.ts';

/** Takes a body whose thing is known. */
export type Take = (exchange: Exchange, thing: KnownThing, body: Uint8Array) => void;

type MessageRequestsOptions = {
  intake: Intake;
  subtopicCharsMax: number;
  /** Undefined: nothing is traced. */
  tracing: Tracing | undefined;
};

/** Hands the messages of requests to the intake, and answers each. */
export class MessageRequests {
  readonly #options: MessageRequestsOptions;

  constructor(options: MessageRequestsOptions) {
    this.#options = options;
  }

  /** A request's head has arrived; its body follows. */
  message(exchange: Exchange): void {
    this.receive(exchange, '/http/messages', this.#takeMessage);
  }

  /** The same for a door that reads its bodies in another way. */
  receive(exchange: Exchange, route: string, take: Take): void {
    const { intake, tracing } = this.#options;
    if (tracing !== undefined) {
      exchange.traced = TracedMessage.begin(tracing, route, exchange.head.traceparent);
    }
    if (exchange.credential === noCredential) return this.#refuseCredential(exchange);
    const known = intake.recall(exchange);
    if (known === undefined) return void this.#authenticate(exchange, take);
    if (known.kind === 'refused') return this.refuse(exchange, known);
    exchange.onBody = (body) => {
      // Asked again: the key may have changed while the body came.
      const thing = intake.recall(exchange);
      if (thing !== undefined) return this.#take(exchange, thing, body, take);
      const held = exchange.hold(body);
      if (held !== undefined) void this.#lookUp(exchange, held, take);
    };
  }

  /** Whose request it is that sends no message yet. Undefined: it is refused, or its client has gone. */
  async identify(exchange: Exchange): Promise<KnownThing | undefined> {
    if (exchange.credential === noCredential) {
      this.#refuseCredential(exchange);
      return undefined;
    }
    const found = await this.#options.intake.find(exchange);
    if (found.kind === 'known') return exchange.isOpen ? found : undefined;
    this.refuse(exchange, found);
    return undefined;
  }

  /** The slow way: the key must be looked up, and the body may be here before the answer. */
  async #authenticate(exchange: Exchange, take: Take): Promise<void> {
    const whole = Promise.withResolvers<Uint8Array>();
    exchange.onBody = (body) => {
      const held = exchange.hold(body);
      if (held !== undefined) whole.resolve(held);
    };
    const found = await this.#options.intake.find(exchange);
    if (found.kind === 'refused') return this.refuse(exchange, found);
    return this.#lookUp(exchange, await whole.promise, take);
  }

  async #lookUp(exchange: Exchange, body: Uint8Array, take: Take): Promise<void> {
    this.#take(exchange, await this.#options.intake.find(exchange), body, take);
  }

  #take(exchange: Exchange, thing: KnownThing | Refusal, body: Uint8Array, take: Take): void {
    if (!exchange.isOpen) return;
    if (thing.kind === 'refused') return this.refuse(exchange, thing);
    if (exchange.isLogged) {
      exchange.caller = `thing ${uuidFromRowBinary(Buffer.from(thing.publisher), 0)}`;
    }
    take(exchange, thing, body);
  }

  readonly #takeMessage: Take = (exchange, thing, body) => {
    const { intake, subtopicCharsMax } = this.#options;
    const subtopic = parseSubtopic(exchange.subtopicPath, subtopicCharsMax);
    if (!subtopic.ok) return this.refuse(exchange, malformed(subtopic.detail));
    exchange.subtopic = subtopic.subtopic;
    const read = intake.read(thing, exchange, body, Date.now());
    exchange.left = read.left;
    if (read.kind === 'wanted')
      return void this.findDevices(exchange, read, body, this.#takeMessage);
    if (read.kind === 'refused') return this.refuse(exchange, read);
    if (!read.isKept) return exchange.accept();
    const refusal = intake.append(read, exchange);
    if (refusal !== undefined) return this.refuse(exchange, refusal);
    exchange.traced?.appended();
  };

  /** The message waits until the devices are known that its gateway names. */
  async findDevices(
    exchange: Exchange,
    wanted: WantedDevices,
    body: Uint8Array,
    take: Take,
  ): Promise<void> {
    const held = exchange.hold(body);
    if (held === undefined) return;
    await this.#options.intake.findDevices(wanted, exchange);
    await this.#lookUp(exchange, held, take);
  }

  #refuseCredential(exchange: Exchange): void {
    const isMissing = exchange.head.authorization === '';
    this.refuse(exchange, {
      kind: 'refused',
      code: isMissing ? 'credential_missing' : 'credential_malformed',
      detail: 'send Authorization: Thing <key>',
    });
  }

  /** Refuses a request, and counts it. */
  refuse(exchange: Exchange, refusal: Refusal, { close = false } = {}): void {
    this.#options.intake.refused(refusal);
    const { code, detail, retrySeconds, left } = refusal;
    exchange.left = left ?? exchange.left;
    exchange.refuse(code, detail, { retryAfter: retrySeconds, close });
  }
}
