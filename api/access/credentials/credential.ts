import type { FastifyRequest } from 'fastify';
import type { KeyKind, KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { Scheme } from '../../../schemas/http/challenges.ts';
import type { CredentialProblem } from '../../../schemas/http/errors.ts';
import type { Requirement } from '../../permissions.ts';
import { sessionOf } from './session.ts';
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

/** How credentials are sent that do for an operation. */
export function schemesOf({ who }: Requirement): readonly Scheme[] {
  const kinds = takes[who];
  const things: readonly Scheme[] = kinds.includes('thingKey') ? ['Thing', 'External'] : [];
  return kinds.includes('token') || things.length === 0 ? ['Bearer', ...things] : things;
}

/** The request's credential, or why it has none that the operation takes. Asks no database. */
export async function readCredential(
  parts: CredentialParts,
  { who }: Requirement,
  request: FastifyRequest,
): Promise<Credential | CredentialProblem> {
  const byCookie = who === 'queueAdmin' && request.headers.authorization === undefined;
  const credential = byCookie
    ? await readToken(parts.queueTokens, sessionOf(request))
    : await readAuthorization(parts, request);
  if (typeof credential === 'string' || takes[who].includes(credential.kind)) return credential;
  return 'credential_unsuitable';
}

const keyKindOfScheme: Readonly<Record<string, KeyKind>> = {
  thing: 'internal',
  external: 'external',
};

/** `Authorization: <scheme> <value>`. Node gives headers as Latin-1; keys are UTF-8. */
async function readAuthorization(
  { tokens, vault }: CredentialParts,
  { headers }: FastifyRequest,
): Promise<Credential | CredentialProblem> {
  const { authorization = '' } = headers;
  if (authorization === '') return 'credential_missing';
  const [, scheme, rest] = /^(\w+) (.+)$/s.exec(authorization) ?? [];
  if (scheme === undefined || rest === undefined) return 'credential_malformed';
  const value = Buffer.from(rest, 'latin1').toString('utf8');
  if (scheme.toLowerCase() === 'bearer') {
    if (isApiKey(value)) return { kind: 'apiKey', lookup: hashApiKey(value) };
    return readToken(tokens, value);
  }
  const keyKind = keyKindOfScheme[scheme.toLowerCase()];
  if (keyKind === undefined) return 'credential_malformed';
  return { kind: 'thingKey', keyKind, lookup: vault.lookup(keyKind, value) };
}

async function readToken(tokens: Tokens, token: string): Promise<Credential | CredentialProblem> {
  if (token === '') return 'credential_missing';
  const verified = await tokens.verify(token);
  return typeof verified === 'string' ? verified : { kind: 'token', ...verified };
}
