import type { FastifyRequest } from 'fastify';
import type { KeyKind, KeyVault } from '../../infra/secrets.ts';
import type { Requirement } from '../permissions.ts';
import { sessionOf } from '../queues/session.ts';
import type { Tokens } from '../tokens/jwt.ts';
import { hashApiKey, isApiKey } from './api-key.ts';

/** What a request shows to say who makes it. A token is verified already; keys only a database knows. */
export type Credential =
  | { kind: 'token'; userId: string; generation: number }
  | { kind: 'apiKey'; lookup: Buffer }
  | { kind: 'thingKey'; keyKind: KeyKind; lookup: Buffer };

export type CredentialParts = { tokens: Tokens; queueTokens: Tokens; vault: KeyVault };

/** What does for an operation. Keys may not make keys: one that got out must not outlive its revocation. */
const takes: Readonly<Record<Requirement['who'], readonly Credential['kind'][]>> = {
  anyone: [],
  user: ['token', 'apiKey'],
  loggedIn: ['token'],
  platformAdmin: ['token', 'apiKey'],
  queueAdmin: ['token', 'apiKey'],
  member: ['token', 'apiKey'],
  thing: ['thingKey'],
  userOrThing: ['token', 'apiKey', 'thingKey'],
};

/** The request's credential, if it is one that the operation takes. Asks no database. */
export async function readCredential(
  parts: CredentialParts,
  { who }: Requirement,
  request: FastifyRequest,
): Promise<Credential | undefined> {
  const byCookie = who === 'queueAdmin' && request.headers.authorization === undefined;
  const credential = byCookie
    ? await readToken(parts.queueTokens, sessionOf(request))
    : await readAuthorization(parts, request);
  return credential !== undefined && takes[who].includes(credential.kind) ? credential : undefined;
}

const keyKindOfScheme: Readonly<Record<string, KeyKind>> = {
  thing: 'internal',
  external: 'external',
};

/** `Authorization: <scheme> <value>`. Node gives headers as Latin-1; keys are UTF-8. */
async function readAuthorization(
  { tokens, vault }: CredentialParts,
  { headers }: FastifyRequest,
): Promise<Credential | undefined> {
  const [, scheme, rest] = /^(\w+) (.+)$/s.exec(headers.authorization ?? '') ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  const value = Buffer.from(rest, 'latin1').toString('utf8');
  if (scheme.toLowerCase() === 'bearer') {
    if (isApiKey(value)) return { kind: 'apiKey', lookup: hashApiKey(value) };
    return readToken(tokens, value);
  }
  const keyKind = keyKindOfScheme[scheme.toLowerCase()];
  if (keyKind === undefined) return undefined;
  return { kind: 'thingKey', keyKind, lookup: vault.lookup(keyKind, value) };
}

async function readToken(tokens: Tokens, token: string): Promise<Credential | undefined> {
  const verified = await tokens.verify(token);
  return verified && { kind: 'token', ...verified };
}
