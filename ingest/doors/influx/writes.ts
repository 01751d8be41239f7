import type { KnownThing } from '../../auth/known/known-things.ts';
import type { Cors } from '../../../infra/runtime/network/cors.ts';
import { type Precision, precisionNames } from '../../codecs/line/precision.ts';
import { malformed } from '../../codecs/rejected.ts';
import type { Intake } from '../../intake/intake.ts';
import type { Waiter } from '../../log/group.ts';
import type { Exchange } from '../http/exchange.ts';
import type { MessageRequests, Take } from '../http/messages.ts';
import { credentialOfWrite } from './credentials.ts';
import { WriteQueries } from './query.ts';

type InfluxWritesOptions = { intake: Intake; requests: MessageRequests; cors: Cors | undefined };

/** Hands InfluxDB's writes to the intake, and answers each as InfluxDB does. */
export class InfluxWrites {
  readonly #options: InfluxWritesOptions;
  readonly #queries = new WriteQueries();

  constructor(options: InfluxWritesOptions) {
    this.#options = options;
  }

  /** A write's head has arrived; its body follows. */
  write(exchange: Exchange, route: string, query: string): void {
    const { requests } = this.#options;
    const { user, password, precision, precisionName } = this.#queries.read(query);
    const { authorization, origin } = exchange.head;
    const named = credentialOfWrite(authorization, user, password);
    exchange.credential = named ?? exchange.credential;
    // A browser shows these for any page that asks; other forms only their owner can send.
    const isOfBrowser = named === undefined || (password === '' && /^basic /i.test(authorization));
    if (origin !== '' && isOfBrowser && this.#options.cors?.allows(origin) !== true) {
      const detail = 'pages of this origin may not use Basic or a certificate';
      return requests.refuse(exchange, { kind: 'refused', code: 'forbidden', detail });
    }
    if (precision === undefined) {
      const detail = `precision: ${JSON.stringify(precisionName)} is none of ${precisionNames}`;
      return requests.refuse(exchange, malformed(detail));
    }
    const take: Take = (_, thing, body) => this.#take(exchange, precision, thing, body, take);
    requests.receive(exchange, route, take);
  }

  #take(
    exchange: Exchange,
    precision: Precision,
    thing: KnownThing,
    body: Uint8Array,
    take: Take,
  ): void {
    const { intake, requests } = this.#options;
    const form = { bytes: body, isGzip: exchange.head.isGzip, precision };
    const read = intake.readLines(thing, exchange, form, Date.now());
    exchange.left = read.left;
    if (read.kind === 'wanted') return void requests.findDevices(exchange, read, body, take);
    if (read.kind === 'refused') return requests.refuse(exchange, read);
    const { problems, records } = read;
    if (records === 0 && problems !== '') {
      return requests.refuse(exchange, malformed(problems));
    }
    exchange.accepts = 204;
    const answer = problems === '' ? exchange : new PartialAnswer(exchange, problems);
    if (!read.isKept) return answer.afterCommit(true, performance.now());
    const refusal = intake.appendLines(read, answer);
    if (refusal !== undefined) return requests.refuse(exchange, refusal);
    exchange.traced?.appended();
  }
}

/** Once the lines that were taken are on the disk: 400, with what is wrong with the others. */
class PartialAnswer implements Waiter {
  readonly #exchange: Exchange;
  readonly #problems: string;

  constructor(exchange: Exchange, problems: string) {
    this.#exchange = exchange;
    this.#problems = problems;
  }

  afterCommit(isDurable: boolean, nowMs: number): void {
    const exchange = this.#exchange;
    if (isDurable) exchange.refuse('malformed', `partial write: ${this.#problems} dropped=0`);
    else exchange.afterCommit(false, nowMs);
  }
}
