import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import { noCredential } from '../../auth/credential.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import { malformed } from '../../codecs/rejected.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import type { Listening, CommandListener } from '../../commands/commands.ts';
import type { CommandParts } from '../../commands/open.ts';
import type { TakenCommand } from '../../commands/sql.ts';
import type { Intake } from '../../intake/intake.ts';
import { type Refusal, tooMany, unavailable } from '../../intake/refusal.ts';
import { limits } from '../../limits.ts';
import type { Exchange } from './exchange.ts';

/** Who is to get a command, by the path; the subtopic follows it. */
type CommandPath = { of: 'thing' | 'group'; id: string };

type CommandRequestsOptions = CommandParts & { intake: Intake; subtopicCharsMax: number };

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const json = 'application/json';

/** The requests of things about commands: they wait for some, acknowledge them, and send some to others. */
export class CommandRequests {
  readonly #options: CommandRequestsOptions;

  constructor(options: CommandRequestsOptions) {
    this.#options = options;
  }

  /** `GET /http/commands?wait=<seconds>`: answered with the commands there are, or once there are some. */
  async wait(exchange: Exchange, query: string): Promise<void> {
    const seconds = secondsIn(query);
    if (seconds === undefined) {
      const detail = `wait: must be a number of seconds from 0 to ${limits.commandWaitSecondsMax}`;
      return this.#refuse(exchange, malformed(detail));
    }
    const thing = await this.#identify(exchange);
    if (thing === undefined) return;
    const { commands } = this.#options;
    const waiting = new WaitingRequest(idOf(thing));
    const listening = commands.listen(waiting, { isNew: false });
    if (listening === undefined) {
      return this.#refuse(exchange, tooMany('requests of this thing wait', seconds || 1));
    }
    exchange.onEnd = () => waiting.end();
    const hasLooked = await commands.looked();
    if (hasLooked && waiting.texts.length === 0 && seconds > 0)
      await waiting.first(seconds * 1_000);
    await this.#answer(exchange, waiting, listening, hasLooked);
  }

  async #answer(
    exchange: Exchange,
    waiting: WaitingRequest,
    listening: Listening,
    hasLooked: boolean,
  ): Promise<void> {
    const { commands, intake } = this.#options;
    // The key may have changed while it waited.
    const known = exchange.isOpen ? await intake.find(exchange) : undefined;
    const isAnswered = exchange.isOpen && known?.kind === 'known';
    commands.leave(listening, { isGone: !isAnswered });
    if (known?.kind === 'refused') return this.#refuse(exchange, known);
    if (!hasLooked) return this.#refuse(exchange, unavailable('commands can not be looked for'));
    exchange.reply(200, `{"commands":[${waiting.texts.join(',')}]}`);
  }

  /** `POST /http/commands/<id>/acknowledge`. */
  acknowledge(exchange: Exchange, id: string): void {
    exchange.onBody = () => void this.#acknowledge(exchange, id);
  }

  async #acknowledge(exchange: Exchange, id: string): Promise<void> {
    const thing = await this.#identify(exchange);
    if (thing === undefined) return;
    if (!uuid.test(id)) return this.#refuse(exchange, malformed('the id is no UUID'));
    const { commands, maker } = this.#options;
    const thingId = idOf(thing);
    const refusal = await maker.acknowledge(thingId, id.toLowerCase());
    if (refusal !== undefined) return this.#refuse(exchange, refusal);
    commands.acknowledged(thingId, id.toLowerCase());
    exchange.reply(204, '');
  }

  /** `POST /http/things/<id>/commands[/<subtopic>]`, and of groups. */
  send(exchange: Exchange, path: CommandPath): void {
    exchange.onBody = (body) => void this.#send(exchange, path, Uint8Array.from(body));
  }

  async #send(exchange: Exchange, { of, id }: CommandPath, body: Uint8Array): Promise<void> {
    const thing = await this.#identify(exchange);
    if (thing === undefined) return;
    const [type = ''] = exchange.contentType.split(';');
    if (type.trim().toLowerCase() !== json) {
      const detail = `send ${json}`;
      return this.#refuse(exchange, { kind: 'refused', code: 'unsupported_type', detail });
    }
    if (!uuid.test(id)) return this.#refuse(exchange, malformed('the id is no UUID'));
    const subtopic = parseSubtopic(exchange.subtopicPath, this.#options.subtopicCharsMax);
    if (!subtopic.ok) return this.#refuse(exchange, malformed(subtopic.detail));
    const sent = await this.#options.maker.send({
      to: { kind: of, id: id.toLowerCase() },
      sender: idOf(thing),
      subtopic: subtopic.subtopic,
      body,
      address: exchange.clientAddress(),
      requestId: exchange.requestId,
    });
    if (sent.kind === 'refused') return this.#refuse(exchange, sent);
    const { id: made, expiresAt, commands, leftOut } = sent;
    const expires_at = expiresAt.toISOString();
    const answer =
      of === 'thing'
        ? { id: made, expires_at }
        : { batch_id: made, commands, left_out: leftOut, expires_at };
    exchange.reply(202, JSON.stringify(answer));
  }

  async #identify(exchange: Exchange): Promise<KnownThing | undefined> {
    if (exchange.credential === noCredential) {
      const isMissing = exchange.head.authorization === '';
      const code = isMissing ? 'credential_missing' : 'credential_malformed';
      const detail = 'send Authorization: Thing <key>; users ask the API';
      this.#refuse(exchange, { kind: 'refused', code, detail });
      return undefined;
    }
    const found = await this.#options.intake.find(exchange);
    if (found.kind === 'known') return exchange.isOpen ? found : undefined;
    this.#refuse(exchange, found);
    return undefined;
  }

  #refuse(exchange: Exchange, { code, detail, retrySeconds, left }: Refusal): void {
    exchange.left = left;
    exchange.refuse(code, detail, { retryAfter: retrySeconds });
  }
}

/** A request that waits for commands. It takes those that come together with the first one. */
class WaitingRequest implements CommandListener {
  readonly thingId: string;
  readonly way = 'http';
  readonly unacknowledgedMax = limits.commandsPerListenerMax;
  readonly texts: string[] = [];
  readonly #first = Promise.withResolvers<void>();

  constructor(thingId: string) {
    this.thingId = thingId;
  }

  wants(): boolean {
    return true;
  }

  deliver({ text }: TakenCommand): void {
    this.texts.push(text);
    // Those that were taken with it come in this turn.
    setImmediate(() => this.end());
  }

  end(): void {
    this.#first.resolve();
  }

  /** Settles with the first command, or after a while. */
  async first(waitMs: number): Promise<void> {
    const timer = setTimeout(() => this.end(), waitMs);
    await this.#first.promise;
    clearTimeout(timer);
  }
}

const idOf = ({ publisher }: KnownThing): string => uuidFromRowBinary(Buffer.from(publisher), 0);

/** Undefined: it is no number of seconds, or too long. */
function secondsIn(query: string): number | undefined {
  const text = new URLSearchParams(query).get('wait') ?? '0';
  if (!/^\d{1,3}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds <= limits.commandWaitSecondsMax ? seconds : undefined;
}
