import type { FastifyRequest } from 'fastify';
import type { KeyKind, KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { CredentialProblem } from '../../../schemas/http/errors.ts';
import { type Operation, readsOnly } from '../../http/operation.ts';
import { credentialsFor } from '../../http/requirement.ts';
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
  operation: Operation,
  request: FastifyRequest,
): Promise<Credential | CredentialProblem> {
  const password = operation.ofInflux ? passwordInQuery(request) : '';
  const credential =
    password !== ''
      ? await readUserCredential(dependencies.tokens, password)
      : isBySession(request)
        ? { kind: 'session' as const, lookup: hashSession(sessionOf(request) ?? '') }
        : await readAuthorization(dependencies, operation, request);
  if (typeof credential === 'string' || credentialsFor(operation.needs).includes(credential.kind))
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
  operation: Operation,
  { headers }: FastifyRequest,
): Promise<Credential | CredentialProblem> {
  const { authorization = '' } = headers;
  if (authorization === '') return 'credential_missing';
  const [, scheme, rest] = /^(\w+) (.+)$/s.exec(authorization) ?? [];
  if (scheme === undefined || rest === undefined) return 'credential_malformed';
  const value = Buffer.from(rest, 'latin1').toString('utf8');
  if (scheme.toLowerCase() === 'bearer') return readUserCredential(tokens, value);
  if (scheme.toLowerCase() === 'basic') {
    const password = passwordIn(value);
    if (password === undefined) return 'credential_malformed';
    return readsOnly(operation) ? readUserCredential(tokens, password) : 'credential_unsuitable';
  }
  if (operation.ofInflux && scheme.toLowerCase() === 'token') {
    return readUserCredential(tokens, value.slice(value.indexOf(':') + 1));
  }
  const keyKind = keyKindOfScheme[scheme.toLowerCase()];
  if (keyKind === undefined) return 'credential_malformed';
  return { kind: 'thingKey', keyKind, lookup: vault.lookup(keyKind, value) };
}

/** The password that clients of InfluxDB put into the query string; '' without one. */
function passwordInQuery({ query }: FastifyRequest): string {
  if (typeof query !== 'object' || query === null || !('p' in query)) return '';
  return typeof query.p === 'string' ? query.p : '';
}

/** The password of Basic (RFC 7617), whoever's name stands before it; undefined if it is none. */
function passwordIn(basic: string): string | undefined {
  const text = Buffer.from(basic, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : text.slice(colon + 1);
}

/** The credential of a user, wherever it stands: an API key, or a token. */
async function readUserCredential(
  tokens: Tokens,
  value: string,
): Promise<Credential | CredentialProblem> {
  if (value === '') return 'credential_missing';
  if (isApiKey(value)) return { kind: 'apiKey', lookup: hashApiKey(value) };
  const verified = await tokens.verify(value);
  return typeof verified === 'string' ? verified : { kind: 'token', ...verified };
}
