import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';

/*
 * The session of a browser: a token in a cookie. No script reads it, and no request that another site makes carries
 * it. It is a token of its own kind: in `Authorization` it opens nothing, and a token of `POST /tokens` is no session.
 */

const cookieName = 'millrace_session';

/** The token that a browser brings; undefined if it brings none. */
export function sessionOf({ headers }: FastifyRequest): string | undefined {
  const cookies = (headers.cookie ?? '').split(/;\s*/).map((one) => one.split('='));
  return cookies.find(([name]) => name === cookieName)?.[1];
}

/** Whether only a cookie tells who makes the request. What is in `Authorization` comes first. */
export function isBySession(request: FastifyRequest): boolean {
  return request.headers.authorization === undefined && sessionOf(request) !== undefined;
}

/** `Set-Cookie` of a sign-in. */
export function sessionCookie(request: FastifyRequest, token: string, seconds: number): string {
  // As the browser sees it: a proxy may have taken TLS off.
  const isSecure = request.headers.origin?.startsWith('https:') === true;
  return [
    `${cookieName}=${token}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** `Set-Cookie` of a sign-out. */
export const endedCookie = (request: FastifyRequest): string => sessionCookie(request, '', 0);

/**
 * Refuses what a page of another origin sent with the browser's cookie. What changes something must say that it comes
 * from here, as every browser does. What only reads must not say that it comes from elsewhere, unless it is a link
 * that someone followed: another port of the same host is the same site for a cookie.
 *
 * @throws DomainError `forbidden`
 */
export function mustBeSameOrigin(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isLook = request.method === 'GET' || request.method === 'HEAD';
  const isSame =
    origin === undefined
      ? site === 'same-origin' ||
        (isLook && (site === undefined || site === 'none' || mode === 'navigate'))
      : URL.parse(origin)?.host === request.host && (site ?? 'same-origin') === 'same-origin';
  if (!isSame) throw new DomainError('forbidden', 'it must come from a page of this service');
}
