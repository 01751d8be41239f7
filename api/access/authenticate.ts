import type { FastifyRequest } from 'fastify';
import type { KeyKind, KeyVault } from '../../infra/secrets.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { Database } from '../database.ts';
import type { Requirement } from '../permissions.ts';
import { mustBeSameOrigin, sessionOf } from '../queues/session.ts';
import type { Tokens } from '../tokens/jwt.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Caller, ThingCaller, UserCaller } from './caller.ts';
import { findThingByExternalKey, findThingByKey, findUser, findUserByApiKey } from './sql.ts';
import type { Throttle } from './throttle.ts';

export type AuthenticationParts = {
  db: Database;
  tokens: Tokens;
  queueTokens: Tokens;
  vault: KeyVault;
  throttle: Throttle;
};

/**
 * Who makes the request. A credential of a kind the operation does not take is none.
 *
 * @throws DomainError `unauthenticated`; `tooMany` for an address with too many unknown keys.
 */
export async function authenticate(
  parts: AuthenticationParts,
  requirement: Requirement,
  request: FastifyRequest,
): Promise<Caller | null> {
  return authenticators[requirement.who](parts, request);
}

const authenticators: Readonly<
  Record<
    Requirement['who'],
    (parts: AuthenticationParts, request: FastifyRequest) => Promise<Caller | null>
  >
> = {
  anyone: async () => null,
  user: authenticateUser,
  loggedIn: authenticateLoggedIn,
  platformAdmin: authenticateUser,
  queueAdmin: authenticateQueueAdmin,
  member: authenticateUser,
  thing: authenticateThing,
  userOrThing: (parts, request) =>
    credentialOf(request)?.scheme === 'bearer'
      ? authenticateUser(parts, request)
      : authenticateThing(parts, request),
};

async function authenticateUser(
  { db, tokens }: AuthenticationParts,
  request: FastifyRequest,
): Promise<UserCaller> {
  const credential = credentialOf(request);
  if (credential?.scheme !== 'bearer') throw new DomainError('unauthenticated');
  const user = isApiKey(credential.value)
    ? await findUserByApiKey(db, hashApiKey(credential.value))
    : await findUserByToken(db, tokens, credential.value);
  if (user === undefined) throw new DomainError('unauthenticated');
  return user;
}

async function findUserByToken(
  db: Database,
  tokens: Tokens,
  token: string,
): Promise<UserCaller | undefined> {
  const userId = await tokens.verify(token);
  return userId === undefined ? undefined : findUser(db, userId);
}

/**
 * With a header as anywhere; or a browser with the dashboard's cookie, which comes along without being asked:
 * so what is not only a look must come from the dashboard itself.
 *
 * @throws DomainError `forbidden`
 */
async function authenticateQueueAdmin(
  parts: AuthenticationParts,
  request: FastifyRequest,
): Promise<UserCaller> {
  if (request.headers.authorization !== undefined) return authenticateUser(parts, request);
  const user = await findUserByToken(parts.db, parts.queueTokens, sessionOf(request));
  if (user === undefined) throw new DomainError('unauthenticated');
  if (request.method !== 'GET' && request.method !== 'HEAD') mustBeSameOrigin(request);
  return user;
}

/** Keys may not make keys: one that got out must not outlive its revocation. */
async function authenticateLoggedIn(
  parts: AuthenticationParts,
  request: FastifyRequest,
): Promise<Caller> {
  const user = await authenticateUser(parts, request);
  if (user.by !== 'token') throw new DomainError('unauthenticated');
  return user;
}

const keyKindOfScheme: Readonly<Record<string, KeyKind>> = {
  thing: 'internal',
  external: 'external',
};

async function authenticateThing(
  parts: AuthenticationParts,
  request: FastifyRequest,
): Promise<Caller> {
  const credential = credentialOf(request);
  const kind = keyKindOfScheme[credential?.scheme ?? ''];
  if (credential === undefined || kind === undefined) throw new DomainError('unauthenticated');
  const thing = await findThing(parts, kind, credential.value, request.ip);
  if (thing === undefined) throw new DomainError('unauthenticated');
  return thing;
}

/**
 * The thing behind a key.
 *
 * @throws DomainError `tooMany` when the key is unknown and the address has tried too many of those.
 */
export async function findThing(
  { db, vault, throttle }: Omit<AuthenticationParts, 'tokens' | 'queueTokens'>,
  kind: KeyKind,
  key: string,
  address: string,
): Promise<ThingCaller | undefined> {
  const lookup = vault.lookup(kind, key);
  const thing =
    kind === 'internal'
      ? await findThingByKey(db, lookup)
      : await findThingByExternalKey(db, lookup);
  if (thing === undefined) await throttle.unknownKey(address);
  return thing;
}

/** `Authorization: <scheme> <value>`. Node gives headers as Latin-1; keys are UTF-8. */
function credentialOf(request: FastifyRequest): { scheme: string; value: string } | undefined {
  const header = request.headers.authorization ?? '';
  const [, scheme, value] = /^(\w+) (.+)$/s.exec(header) ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), value: Buffer.from(value, 'latin1').toString('utf8') };
}
