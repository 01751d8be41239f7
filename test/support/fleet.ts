import { randomUUID } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Agent, request } from 'undici';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';

/** Where a Millrace answers, and who may do everything there. */
export type Addresses = {
  apiUrl: string;
  ingestUrl: string;
  adminEmail: string;
  adminPassword: string;
};

type Answer = { status: number; headers: Record<string, unknown>; body: unknown };

/** A thing that may publish. */
export type Thing = { id: string; key: string; groupId: string; profileId: string };

/** What the reader gives back, as the interface has it. */
const SenmlMessage = Type.Object(
  {
    publisher: Type.String(),
    protocol: Type.String(),
    subtopic: Type.Optional(Type.String()),
    name: Type.String(),
    unit: Type.Optional(Type.String()),
    time: Type.Number(),
    value: Type.Optional(Type.Number()),
    string_value: Type.Optional(Type.String()),
    bool_value: Type.Optional(Type.Boolean()),
    data_value: Type.Optional(Type.String()),
    sum: Type.Optional(Type.Number()),
    update_time: Type.Optional(Type.Number()),
  },
  { additionalProperties: false },
);
type SenmlMessage = Static<typeof SenmlMessage>;

const JsonMessage = Type.Object(
  {
    publisher: Type.String(),
    protocol: Type.String(),
    subtopic: Type.Optional(Type.String()),
    created: Type.Number(),
    payload: Type.Record(Type.String(), Type.Unknown()),
  },
  { additionalProperties: false },
);
type JsonMessage = Static<typeof JsonMessage>;

const envelope = { total: Type.Integer(), offset: Type.Integer(), limit: Type.Integer() };
const pages = {
  senml: Type.Object({ ...envelope, messages: Type.Array(SenmlMessage) }),
  json: Type.Object({ ...envelope, messages: Type.Array(JsonMessage) }),
};

const pageRows = 1_000;

/** A person's and a fleet's view of one Millrace, over HTTP alone. */
export class Fleet {
  readonly apiUrl: string;
  readonly ingestUrl: string;
  readonly #agent = new Agent({ connections: 64, pipelining: 1 });
  readonly token: string;
  #groupId: Promise<string> | undefined;

  private constructor(addresses: Addresses, token: string) {
    this.apiUrl = addresses.apiUrl;
    this.ingestUrl = addresses.ingestUrl;
    this.token = token;
  }

  /** Logs in as the platform's admin. */
  static async login(addresses: Addresses): Promise<Fleet> {
    const { adminEmail: email, adminPassword: password } = addresses;
    const anonymous = new Fleet(addresses, '');
    const { body } = await anonymous.call('POST', '/tokens', { email, password });
    await anonymous.close();
    return new Fleet(addresses, textOf(body, 'token'));
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** A request to the API, as the one who logged in unless `headers` say otherwise. */
  async call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const answer = await request(`${this.apiUrl}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** A thing of its own profile, in one group that all things of this fleet share. */
  async thing(config: ProfileConfig = {}, externalKey?: string): Promise<Thing> {
    this.#groupId ??= this.#createGroup();
    const groupId = await this.#groupId;
    const profiles = await this.call('POST', `/groups/${groupId}/profiles`, [
      { name: randomUUID(), config },
    ]);
    const profileId = textOf(listOf(profiles.body, 'profiles')[0], 'id');
    const [thing] = await this.createThings(profileId, [
      {
        name: randomUUID(),
        type: 'sensor',
        ...(externalKey === undefined ? {} : { external_key: externalKey }),
      },
    ]);
    if (thing === undefined) throw new Error('no thing was made');
    return { ...thing, groupId, profileId };
  }

  async createThings(profileId: string, things: object[]): Promise<{ id: string; key: string }[]> {
    const { body } = await this.call('POST', `/profiles/${profileId}/things`, things);
    return listOf(body, 'things').map((thing) => ({
      id: textOf(thing, 'id'),
      key: textOf(thing, 'key'),
    }));
  }

  async #createGroup(): Promise<string> {
    const org = await this.call('POST', '/orgs', { name: randomUUID() });
    const orgId = lastPart(org.headers['location']);
    const group = await this.call('POST', `/orgs/${orgId}/groups`, { name: randomUUID() });
    return lastPart(group.headers['location']);
  }

  /** Posts a message to the edge. A body that is not text or bytes is sent as JSON. */
  async publish(
    credential: string,
    body: unknown,
    options: {
      contentType?: string;
      subtopic?: string;
      ingestUrl?: string;
      headers?: Record<string, string>;
    } = {},
  ): Promise<{ status: number; error: string; retryAfter: string | undefined }> {
    const { contentType = 'application/senml+json', subtopic = '' } = options;
    const path = subtopic === '' ? '/http/messages' : `/http/messages/${subtopic}`;
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await request(`${options.ingestUrl ?? this.ingestUrl}${path}`, {
      method: 'POST',
      dispatcher: this.#agent,
      headers: {
        authorization: credential.includes(' ') ? credential : `Thing ${credential}`,
        'content-type': contentType,
        ...options.headers,
      },
      body: isRaw ? body : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      error: text === '' ? '' : textOf(JSON.parse(text), 'error'),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
  }

  /** Writes InfluxDB's line protocol to the edge, with times in this precision. */
  async write(key: string, lines: string, precision = 'ns'): Promise<{ status: number }> {
    const answer = await request(`${this.ingestUrl}/write?precision=${precision}`, {
      method: 'POST',
      dispatcher: this.#agent,
      headers: { authorization: `Token ${key}` },
      body: lines,
    });
    await answer.body.dump();
    return { status: answer.statusCode };
  }

  /** One page of what is stored. */
  async page<F extends 'senml' | 'json'>(
    format: F,
    query: Record<string, string>,
  ): Promise<Static<(typeof pages)[F]>> {
    const { status, body } = await this.call(
      'GET',
      `/reader/${format}?${new URLSearchParams(query).toString()}`,
    );
    if (status !== 200) throw new Error(`reading answered ${status}: ${JSON.stringify(body)}`);
    return Value.Parse(pages[format], body);
  }

  /**
   * Settles once all that the edges have acknowledged is stored, as a deletion waits for it. An edge that ends for
   * good before then would hold up everybody's.
   */
  async allStored(): Promise<void> {
    const { id } = await this.thing();
    const { status } = await this.call(
      'DELETE',
      `/reader/senml/${id}?from=2001-01-01&to=2001-01-02`,
    );
    if (status !== 204) throw new Error(`a deletion of nothing was answered ${status}`);
  }

  /** How many records of a thing are stored. */
  async stored(publisher: string, format: 'senml' | 'json' = 'senml'): Promise<number> {
    return (await this.page(format, { publisher, limit: '1' })).total;
  }

  /** Everything of a thing, oldest first, page by page. */
  async readSenml(publisher: string): Promise<SenmlMessage[]> {
    return readAll((page) => this.page('senml', { publisher, ...page }));
  }

  async readJson(publisher: string): Promise<JsonMessage[]> {
    return readAll((page) => this.page('json', { publisher, ...page }));
  }
}

async function readAll<T>(
  read: (page: Record<string, string>) => Promise<{ total: number; messages: T[] }>,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const { messages, total } = await read({
      dir: 'asc',
      limit: String(pageRows),
      offset: String(all.length),
    });
    all.push(...messages);
    if (all.length >= total || messages.length === 0) return all;
  }
}

function textOf(body: unknown, member: string): string {
  const value = typeof body === 'object' && body !== null ? Reflect.get(body, member) : undefined;
  if (typeof value !== 'string') throw new Error(`no ${member} in ${JSON.stringify(body)}`);
  return value;
}

function listOf(body: unknown, member: string): unknown[] {
  const list: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, member) : undefined;
  if (!Array.isArray(list)) throw new Error(`no ${member} in ${JSON.stringify(body)}`);
  return list;
}

function lastPart(location: unknown): string {
  const id = String(location).split('/').at(-1);
  if (id === undefined || id === '') throw new Error(`no id in ${String(location)}`);
  return id;
}
