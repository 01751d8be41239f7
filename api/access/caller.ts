import type { FastifyRequest } from 'fastify';
import { networkOf } from '../../infra/runtime/network/client-address.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import type { Role } from '../../schemas/roles.ts';
import type { Spender } from '../budgets/budget.ts';

export type UserCaller = {
  kind: 'user';
  id: string;
  email: string;
  platformAdmin: boolean;
  /** The API key that they came with. */
  apiKeyId: string | undefined;
  /** The session of a browser that they came with. */
  sessionId: string | undefined;
  /** The org that they joined first. */
  org: string | undefined;
};

export type ThingCaller = {
  kind: 'thing';
  id: string;
  /** Its group's org. */
  org: string | undefined;
};

/** Who makes a request, as its credential says. */
export type Caller = UserCaller | ThingCaller;

declare module 'fastify' {
  interface FastifyRequest {
    /** Where it is from, by the proxies that are trusted. */
    clientAddress: string;
    /** The scheme that the client came by, if a trusted proxy tells it. */
    forwardedScheme: 'http' | 'https' | undefined;
    /** When it was let in, by `performance.now()`. */
    admittedAt: number;
    /** `null` if the operation asks for no credential. */
    caller: Caller | null;
    /** The caller's role where the entity of the path is; `null` if the operation asks for none. */
    role: Role | null;
  }
}

/** The caller of an operation that needs one. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new DomainError('credential_missing');
  return request.caller;
}

/** The user who calls an operation for users. */
export function userOf(request: FastifyRequest): UserCaller {
  const caller = callerOf(request);
  if (caller.kind !== 'user') throw new DomainError('credential_unsuitable');
  return caller;
}

/** The account that a caller's requests are counted on: its own, and its org's. */
export function spenderOf({ kind, id, org }: Caller): Spender {
  return { caller: `${kind} ${id}`, org, stranger: false };
}

/** The account of who has shown no valid credential: the network that they call from. */
export function strangerFrom(address: string): Spender {
  return { caller: `network ${networkOf(address)}`, org: undefined, stranger: true };
}
