import { randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { Pool } from 'pg';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { insertBundles, type NewBundle } from '../../../infra/runtime/webhooks/bundles.ts';
import { rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import type { Role } from '../../../schemas/roles.ts';
import { system } from '../system.ts';
import { call, json, textAt } from './http.ts';

/** Who calls: the `Authorization` header, and the user's id. */
export type Person = { as: string; id: string; email: string };

export const password = 'correct horse battery';
/** Made once: a hash takes a core for some milliseconds, and there are hundreds of users. */
const passwordHash = hash(password);

/** `Authorization` of the platform's admin. */
export async function loginAdmin(): Promise<string> {
  const { adminEmail, adminPassword } = system();
  return login(adminEmail, adminPassword);
}

export async function login(email: string, secret: string = password): Promise<string> {
  const answer = await call('POST', '/tokens', { body: { email, password: secret } });
  if (answer.status !== 201) throw new Error(`no login: ${answer.status} ${answer.text}`);
  return `Bearer ${textAt(answer, 'token')}`;
}

/** The origin of the API, as a browser there tells it. */
export function originOfApi(): string {
  const url = new URL(system().apiUrl);
  url.hostname = '127.0.0.1';
  return url.origin;
}

/** Signs in at the console; gives what the browser sends from then on as `Cookie`. */
export async function signIn(email: string, userAgent = 'a browser'): Promise<string> {
  const headers = { origin: originOfApi(), 'user-agent': userAgent };
  const answer = await call('POST', '/console/sign-in', { body: { email, password }, headers });
  if (answer.status !== 204) throw new Error(`no sign-in: ${answer.status} ${answer.text}`);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

/** Registered users and what they are members of, set up where no route does it yet. */
export class People {
  readonly #pool = new Pool({ connectionString: system().databaseUrl, max: 2 });

  async register(email = `${randomUUID()}@example.com`): Promise<Person> {
    const id = randomUUID();
    await this.#pool.query('INSERT INTO users (id, email, password_hash) VALUES ($1, $2, $3)', [
      id,
      email,
      await passwordHash,
    ]);
    return { id, email, as: await login(email) };
  }

  async join(place: 'org' | 'group', placeId: string, person: Person, role: Role): Promise<void> {
    await this.#pool.query(
      place === 'org'
        ? 'INSERT INTO org_memberships (org_id, member_id, role) VALUES ($1, $2, $3)'
        : 'INSERT INTO group_memberships (group_id, member_id, role) VALUES ($1, $2, $3)',
      [placeId, person.id, role],
    );
  }

  async member(place: 'org' | 'group', placeId: string, role: Role): Promise<Person> {
    const person = await this.register();
    await this.join(place, placeId, person, role);
    return person;
  }

  /** Gives an account another address. */
  async rename(person: Person, email: string): Promise<void> {
    await this.#pool.query('UPDATE users SET email = $2 WHERE id = $1', [person.id, email]);
  }

  /** Keeps a pack of messages for webhooks, as an edge would. */
  async keepPack(pack: NewBundle): Promise<void> {
    await insertBundles(rowsOf(this.#pool), [pack]);
  }

  /** The rows of a statement, as they are in PostgreSQL. */
  async rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#pool.query<Record<string, unknown>>(text, values);
    return rows;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** An org, a group, a profile and a thing, made by who is given. */
export type Estate = {
  orgId: string;
  groupId: string;
  profileId: string;
  thingId: string;
  key: string;
};

export async function createEstate(as: string): Promise<Estate> {
  const orgId = await createdAt('/orgs', as, { name: 'org' });
  const groupId = await createdAt(`/orgs/${orgId}/groups`, as, { name: 'group' });
  const profileId = await createdAt(`/groups/${groupId}/profiles`, as, [{ name: 'profile' }]);
  const things = await createThings(as, profileId, [{ name: 'thing', type: 'device' }]);
  const [thing] = things;
  if (thing === undefined) throw new Error('no thing was made');
  return { orgId, groupId, profileId, thingId: thing.id, key: thing.key };
}

/** Creates one entity; gives the id its `Location` ends with. */
export async function createdAt(path: string, as: string, body: unknown): Promise<string> {
  const answer = await call('POST', path, { as, body });
  const location = answer.headers['location'];
  if (answer.status !== 201 || typeof location !== 'string') {
    throw new Error(`not created: ${answer.status} ${answer.text}`);
  }
  return location.slice(location.lastIndexOf('/') + 1);
}

const MadeThings = Type.Object({
  things: Type.Array(Type.Object({ id: Type.String(), key: Type.String() })),
});

export async function createThings(
  as: string,
  profileId: string,
  body: Record<string, unknown>[],
): Promise<{ id: string; key: string }[]> {
  const answer = await call('POST', `/profiles/${profileId}/things`, { as, body });
  if (answer.status !== 201) throw new Error(`not created: ${answer.status} ${answer.text}`);
  const { things } = Value.Parse(MadeThings, json(answer));
  return things;
}
