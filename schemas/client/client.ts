import type { Readable } from 'node:stream';
import type { Credential } from './credential.ts';
import { AnswerError } from './errors.ts';
import { members, routes } from './generated/routes.ts';
import type { Answers, Creation, NewGroup, OperationName, Requests } from './generated/types.ts';
import {
  follow,
  followAlarms,
  type FollowOptions,
  type LiveMessageOf,
  type MessageFormat,
} from './live.ts';
import { MessageStream, type StreamOptions } from './message-stream.ts';
import { type AnyRequest, isRead } from './request.ts';
import { fileNameIn } from './file-name.ts';
import { anyJson, having } from './shape.ts';
import { type Ask, originOf, Transport } from './transport.ts';
import { pathOf, type ServiceUrls, serviceUrls, urlOf } from './urls.ts';

export type * from './generated/types.ts';
export { AnswerError, ApiError, ConnectionError } from './errors.ts';
export { type Credential, type KeyType, thingCredential } from './credential.ts';

type ClientOptions = {
  /** The base URL; default `http://localhost:8080`. */
  url?: string;
  /** A user's token, or an API key. */
  token?: string | undefined;
  /** Services that answer elsewhere. */
  urls?: Partial<ServiceUrls>;
  /** Takes any certificate of a server's. */
  insecure?: boolean;
  /** Reads the JSON of answers; default `JSON.parse`, whose numbers hold 53 bits. */
  parse?: (text: string) => unknown;
};

/** As the API takes it; but that one group alone is made by `create`, because its answer is no JSON. */
export type Request<Name extends OperationName> = Name extends 'createGroups'
  ? Omit<Requests[Name], 'body'> & { body: NewGroup[] }
  : Requests[Name];

type CallOptions = {
  /** Who asks, if that is not the user of the client. */
  as?: Credential | undefined;
  signal?: AbortSignal | undefined;
};

const anyone = { as: undefined };
const long = { takesLong: true };
const asFile = { ...long, headers: { accept: '*/*' } };
const files = {
  exportMessages_senml: asFile,
  exportMessages_json: asFile,
  exportOrgAudit: asFile,
  exportAudit: asFile,
  exportThingAlarms: asFile,
  exportGroupAlarms: asFile,
  exportOrgAlarms: asFile,
  exportAlarms: asFile,
  backupMessages: asFile,
  viewRevocationList: { ...asFile, ...anyone },
} satisfies Partial<Record<OperationName, Partial<Ask>>>;

/** The few operations that are asked for in another way than the others. */
const ways: Partial<Record<OperationName, Partial<Ask>>> = {
  ...files,
  issueToken: anyone,
  registerByInvite: anyone,
  identifyThing: anyone,
  // A server that is not well says so with 503.
  viewHealth: { ...anyone, orStatus: 503 },
  deleteMessages_senml: long,
  deleteMessages_json: long,
  deleteMessagesOfThing_senml: long,
  deleteMessagesOfThing_json: long,
  restoreMessages: long,
};

/** Whose alarms are followed. */
export type AlarmPlace = { of: 'group' | 'org'; id: string } | { of: 'all' };

const follows = {
  group: 'followGroupAlarms',
  org: 'followOrgAlarms',
  all: 'followAlarms',
} as const;

/** A file as it comes from the server. `bytes` is its length where that is known, `name` what the server calls it. */
export type Download = {
  stream: Readable;
  contentType: string;
  bytes: number | undefined;
  name: string | undefined;
};

/**
 * A client of Millrace, and of the platform whose interface it has. `call` asks for any operation of the API, by the
 * name that it has in the OpenAPI document.
 *
 *     const token = await new Millrace().login('admin@example.com', password);
 *     const millrace = new Millrace({ url: 'http://localhost:8080', token });
 *     const { orgs } = await millrace.call('listOrgs', { query: { limit: 5 } });
 *
 * Methods reject with `ApiError` (the server said no: `status` and its own words), `ConnectionError` or `AnswerError`.
 * Reads are asked again where the server asks to wait; nothing else is.
 */
export class Millrace {
  readonly #transport: Transport;
  readonly #urls: ServiceUrls;
  readonly #as: Credential | undefined;

  constructor(options: ClientOptions = {}) {
    const { url, urls, token } = options;
    this.#transport = new Transport(options);
    this.#urls = { ...serviceUrls(url), ...urls };
    this.#as = token === undefined ? undefined : { scheme: 'Bearer', value: token };
  }

  /** The JSON that an operation answers; undefined from one that answers none. */
  call<Name extends OperationName>(
    name: Name,
    request: Request<Name>,
    options?: CallOptions,
  ): Promise<Answers[Name]>;
  async call(name: OperationName, request: AnyRequest, options?: CallOptions): Promise<unknown> {
    const ask = this.#ask(name, request, options);
    const member = members[name];
    if (member !== undefined) {
      // The types of what is in it are the word of the server, by its own schema.
      if (member === '') return this.#transport.json(ask, anyJson);
      return this.#transport.json(ask, having<Record<string, unknown>>(member));
    }
    await this.#transport.text(ask);
    return undefined;
  }

  /** The id of what an operation made. */
  async create<Name extends Creation>(name: Name, request: Requests[Name]): Promise<string> {
    const ask = this.#ask(name, request);
    const { headers } = await this.#transport.text(ask);
    const id = String(headers['location'] ?? '')
      .split('/')
      .at(-1);
    if (id === undefined || id === '')
      throw new AnswerError(originOf(ask.url), 'without a Location');
    return id;
  }

  /** A token, for `ClientOptions`. */
  async login(email: string, password: string): Promise<string> {
    const { token } = await this.call('issueToken', { body: { email, password } });
    return token;
  }

  /** The answer of an operation that writes a file, with its bytes still to come. */
  async download<Name extends keyof typeof files>(
    name: Name,
    request: Requests[Name],
  ): Promise<Download> {
    const { headers, body } = await this.#transport.open(this.#ask(name, request));
    const bytes = Number(headers['content-length'] ?? Number.NaN);
    return {
      stream: body,
      contentType: String(headers['content-type'] ?? ''),
      bytes: Number.isFinite(bytes) ? bytes : undefined,
      name: fileNameIn(String(headers['content-disposition'] ?? '')),
    };
  }

  /** Gives how many messages of the backup were left out, because the things that sent them are gone. */
  async restore(file: Readable | Uint8Array, bytes?: number): Promise<number> {
    const headers = {
      'content-type': 'application/octet-stream',
      ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
    };
    const ask = this.#ask('restoreMessages', {});
    const answer = await this.#transport.text({ ...ask, body: file, headers });
    return Number(answer.headers['millrace-messages-left-out'] ?? 0);
  }

  /** Sends a message. It is kept once this resolves. `subtopic` may have parts, between dots or slashes. */
  async send(
    thing: Credential,
    body: string | Uint8Array,
    options: { contentType?: string; subtopic?: string } = {},
  ): Promise<void> {
    const { contentType = 'application/senml+json', subtopic = '' } = options;
    const ask = this.#ask('sendMessages', {}, { as: thing });
    const headers = { 'content-type': contentType };
    // Each part by itself: what stands for one parameter is one part of a path.
    const url = `${ask.url}${pathOf(subtopic)}`;
    await this.#transport.text({ ...ask, url, body, headers });
  }

  /**
   * Sends many messages over one connection, each as soon as the source gives it, and those that come together in one
   * frame. What is on its way when the connection is lost is sent again over the next one. Gives how many are kept.
   */
  stream(
    thing: Credential,
    source: AsyncIterable<readonly Uint8Array[]>,
    options: StreamOptions & { subtopic?: string } = {},
  ): Promise<number> {
    const { subtopic = '', ...others } = options;
    const url = `${this.#urls.http}/messages/stream${pathOf(subtopic)}`;
    return new MessageStream(this.#transport, url, thing, source, others).sendAll();
  }

  /**
   * Messages as they are stored, until `signal` ends it. A lost connection is made again, and goes on
   * after the last message that came; `onOpen` and `onLost` hear of it.
   */
  follow<Format extends MessageFormat>(
    format: Format,
    filters: Requests[`followMessages_${Format}`]['query'] = {},
    options: Omit<CallOptions, 'signal'> & FollowOptions = {},
  ): AsyncGenerator<LiveMessageOf[Format]> {
    const of: MessageFormat = format;
    const ask = this.#ask(`followMessages_${of}`, { query: filters }, { as: options.as });
    return follow(this.#transport, ask, options);
  }

  /** Alarms of a group, of one's groups in an org, or of all one's groups, as they change; otherwise as `follow`. */
  followAlarms(
    place: AlarmPlace,
    options: Omit<CallOptions, 'signal'> & FollowOptions = {},
  ): AsyncGenerator<Answers['viewAlarm']> {
    const path = place.of === 'all' ? {} : { path: { id: place.id } };
    const ask = this.#ask(follows[place.of], path, { as: options.as });
    return followAlarms(this.#transport, ask, options);
  }

  /** Ends what is under way and lets the process end. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #ask(name: OperationName, request: AnyRequest, { as, signal }: CallOptions = {}): Ask {
    const { path, query = {}, body } = request;
    return {
      method: routes[name][0],
      url: urlOf(this.#urls, name, path),
      as: this.#as,
      query: { ...query },
      reads: isRead(name),
      signal,
      ...(body === undefined ? {} : { json: body }),
      ...ways[name],
      ...(as === undefined ? {} : { as }),
    };
  }
}
