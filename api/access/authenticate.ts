import type { FastifyRequest } from 'fastify';
import type { Secret } from '../../infra/runtime/process/config.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { type CredentialProblem, DomainError } from '../../schemas/http/errors.ts';
import type { Operation } from '../http/operation.ts';
import type { Statements } from '../stores/database.ts';
import { type Caller, spenderOf } from './caller.ts';
import {
  type Credential,
  type CredentialDependencies,
  readCredential,
} from './credentials/credential.ts';
import { KnownCredentials } from './credentials/known.ts';
import { isByBasic, isBySession, mustBeSameOrigin } from './credentials/session.ts';
import { SharedAnswers } from './credentials/shared-answers.ts';
import {
  findThingByExternalKey,
  findThingByKey,
  findUser,
  findUserByApiKey,
  findUserBySession,
} from './sql.ts';
import { createThrottle, type Throttle, type ThrottleConfig } from './throttle.ts';
import { createTokens } from './tokens/jwt.ts';

/** The parts that turn a credential into who shows it. */
type CallerDependencies = {
  /** For nothing but who someone is and what they may, so that nothing else holds that up. */
  accessDb: Statements;
  known: KnownCredentials;
  callers: SharedAnswers<Caller | CredentialProblem>;
  throttle: Throttle;
};

export type AuthenticationDependencies = CallerDependencies & CredentialDependencies;

/** The parts of these that the settings decide on, or that start empty. A session lasts as long as a token. */
export function createAuthentication(
  redis: Redis,
  config: { jwtSecret: Secret; tokenSeconds: number; throttle: ThrottleConfig },
) {
  return {
    tokens: createTokens(config.jwtSecret, config.tokenSeconds),
    sessionSeconds: config.tokenSeconds,
    throttle: createThrottle(redis, config.throttle),
    known: new KnownCredentials(),
    callers: new SharedAnswers<Caller | CredentialProblem>(),
  };
}

/**
 * Who makes the request; `null` if the operation asks for no credential.
 *
 * @throws DomainError a `CredentialProblem`; `too_many` as `findCaller`; `forbidden` as `callerWith`.
 */
export async function authenticate(
  dependencies: AuthenticationDependencies,
  operation: Operation,
  request: FastifyRequest,
): Promise<Caller | null> {
  if (operation.needs.kind === 'anyone') return null;
  const credential = await readCredential(dependencies, operation, request);
  return callerWith(dependencies, request, credential);
}

/**
 * Whose credential it is. A browser sends its cookie along unasked, and so it does a name and a password that were once
 * typed in: such a request must come from a page of ours.
 *
 * @throws DomainError a `CredentialProblem`; `too_many` as `findCaller`; `forbidden`
 */
export async function callerWith(
  dependencies: CallerDependencies,
  request: FastifyRequest,
  credential: Credential | CredentialProblem,
): Promise<Caller> {
  if (typeof credential === 'string') throw new DomainError(credential);
  const caller = await findCaller(dependencies, credential, request.clientAddress);
  if (typeof caller === 'string') throw new DomainError(caller);
  if (isBySession(request) || isByBasic(request)) mustBeSameOrigin(request);
  return caller;
}

/**
 * Whose credential it is. Each key that is not known from its network counts as a guess before a database is
 * asked, and no longer once it is right.
 *
 * @throws DomainError `too_many` once the network has guessed too often.
 */
export async function findCaller(
  { accessDb, known, callers, throttle }: CallerDependencies,
  credential: Credential,
  address: string,
): Promise<Caller | CredentialProblem> {
  const isKnown = known.spenderOf(credential, address) !== undefined;
  const isGuess = credential.kind !== 'token' && !isKnown;
  if (isGuess) await throttle.guess(address);
  const caller = await callers.ask(nameOf(credential), () => lookUp(accessDb, credential, address));
  if (typeof caller !== 'string') {
    if (isGuess) await throttle.guessedRight(address);
    known.remember(credential, address, spenderOf(caller));
    return caller;
  }
  known.forget(credential, address);
  if (credential.kind !== 'token' && isKnown) await throttle.guess(address);
  return caller;
}

function nameOf(credential: Credential): string {
  if (credential.kind === 'token') return `${credential.userId} ${credential.generation}`;
  const lookup = credential.lookup.toString('base64url');
  return credential.kind === 'thingKey'
    ? `${credential.keyKind} ${lookup}`
    : `${credential.kind} ${lookup}`;
}

async function lookUp(
  db: Statements,
  credential: Credential,
  address: string,
): Promise<Caller | CredentialProblem> {
  if (credential.kind === 'token') {
    return findUser(db, credential.userId, credential.generation);
  }
  const { lookup } = credential;
  if (credential.kind === 'session') return findUserBySession(db, lookup, address);
  if (credential.kind === 'apiKey') return findUserByApiKey(db, lookup);
  return credential.keyKind === 'internal'
    ? findThingByKey(db, lookup)
    : findThingByExternalKey(db, lookup);
}
