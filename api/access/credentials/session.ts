import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';

/*
 * The session of a browser: a value in a cookie, of which the database has the hash. No script reads it, and no request
 * that another site makes carries it. In `Authorization` it opens nothing, and no token that opens something there is a
 * session.
 */

type Scheme = 'http' | 'https';

/**
 * Browsers take a cookie of the first name over TLS only, and from this very host only. So whoever answers for this
 * host without TLS can't plant one.
 */
const cookieNames: Readonly<Record<Scheme, string>> = {
  https: '__Host-millrace_session',
  http: 'millrace_session',
};

/** 256 random bits. */
export function createSession(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash that is stored of a session. A session can't be guessed, so it needs no slow hash. */
export function hashSession(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** The scheme that the browser came by: as a trusted proxy tells it, or else as the browser does, if it does. */
function schemeOf({ forwardedScheme, headers: { origin } }: FastifyRequest): Scheme | undefined {
  if (forwardedScheme !== undefined) return forwardedScheme;
  if (origin === undefined) return undefined;
  return URL.parse(origin)?.protocol === 'https:' ? 'https' : 'http';
}

/** The value that a browser brings; undefined if it brings none. A session of one scheme is none of the other. */
export function sessionOf(request: FastifyRequest): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(/;\s*/).map((one) => one.split('='));
  const valueOf = (scheme: Scheme) =>
    cookies.find(([name]) => name === cookieNames[scheme])?.[1] || undefined;
  const scheme = schemeOf(request);
  return scheme === undefined ? (valueOf('https') ?? valueOf('http')) : valueOf(scheme);
}

/** Whether a name and a password are in `Authorization`. */
export function isByBasic({ headers }: FastifyRequest): boolean {
  return headers.authorization?.toLowerCase().startsWith('basic ') === true;
}

/**
 * Whether a cookie tells who makes the request. What is in `Authorization` comes first, but for Basic: a browser that
 * remembers it sends it from our own pages too, where someone signed in.
 */
export function isBySession(request: FastifyRequest): boolean {
  const hasOther = request.headers.authorization !== undefined && !isByBasic(request);
  return !hasOther && sessionOf(request) !== undefined;
}

/** `Set-Cookie` of a sign-in. */
export function sessionCookie(request: FastifyRequest, value: string, seconds: number): string {
  const scheme = schemeOf(request) ?? 'http';
  return [
    `${cookieNames[scheme]}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(scheme === 'https' ? ['Secure'] : []),
  ].join('; ');
}

/** `Set-Cookie` of a sign-out. */
export const endedCookie = (request: FastifyRequest): string => sessionCookie(request, '', 0);

/**
 * Refuses what a page of another origin sent with what the browser adds: the cookie, or Basic, which only reads. What
 * changes something must say that it comes
 * from here, as every browser does. What only reads must not say that it comes from elsewhere, unless it is a link
 * that someone followed: another port of the same host is the same site for a cookie.
 *
 * @throws DomainError `forbidden`
 */
export function mustBeSameOrigin(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isLook = ['GET', 'HEAD'].includes(request.method) || isByBasic(request);
  const isSame =
    origin === undefined
      ? site === 'same-origin' ||
        (isLook && (site === undefined || site === 'none' || mode === 'navigate'))
      : origin === URL.parse(`${schemeOf(request)}://${request.host}`)?.origin &&
        (site ?? 'same-origin') === 'same-origin';
  if (!isSame) throw new DomainError('forbidden', 'it must come from a page of this service');
}
