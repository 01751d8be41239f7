import type { FastifyRequest } from 'fastify';
import type { KeyKind, KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { CredentialProblem } from '../../../schemas/http/errors.ts';
import { credentialsFor, type Requirement } from '../../http/requirement.ts';
import type { Tokens } from '../tokens/jwt.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import { hashSession, isBySession, sessionOf } from './session.ts';

/** It says who makes a request. A token is verified already; keys only a database knows. */
export type Credential =
  | { kind: 'token'; userId: string; generation: number }
  | { kind: 'session'; lookup: Buffer }
  | { kind: 'apiKey'; lookup: Buffer }
  | { kind: 'thingKey'; keyKind: KeyKind; lookup: Buffer };

export type CredentialDependencies = { tokens: Tokens; vault: KeyVault };

/** The request's credential, or why it has none that the operation takes. Asks no database. */
export async function readCredential(
  dependencies: CredentialDependencies,
  requirement: Requirement,
  request: FastifyRequest,
): Promise<Credential | CredentialProblem> {
  const credential = isBySession(request)
    ? { kind: 'session' as const, lookup: hashSession(sessionOf(request) ?? '') }
    : await readAuthorization(dependencies, request);
  if (typeof credential === 'string' || credentialsFor(requirement).includes(credential.kind))
    return credential;
  return 'credential_unsuitable';
}

const keyKindOfScheme: Readonly<Record<string, KeyKind>> = {
  thing: 'internal',
  external: 'external',
};

/** `Authorization: <scheme> <value>`. Node gives headers as Latin-1; keys are UTF-8. */
async function readAuthorization(
  { tokens, vault }: CredentialDependencies,
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
