import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/*
 * A browser can't send a bearer token when it opens a page, so the dashboard's login leaves a token in a
 * cookie. No script sees it, no other site's request carries it, it opens nothing but the dashboard, and it
 * ends with the admin's right.
 */

export const dashboardPath = '/queues';
const cookieName = 'millrace_queues';

/** The token a browser brings; empty where it brings none. */
export function sessionOf({ headers }: FastifyRequest): string {
  const cookies = (headers.cookie ?? '').split(/;\s*/).map((one) => one.split('='));
  return cookies.find(([name]) => name === cookieName)?.[1] ?? '';
}

/** `Set-Cookie` of a login; of a logout with an empty token. */
export function sessionCookie(request: FastifyRequest, token: string): string {
  // As the browser sees it: what stands between may have taken TLS off.
  const isSecure = request.headers.origin?.startsWith('https:') === true;
  return [
    `${cookieName}=${token}`,
    `Path=${dashboardPath}`,
    `Max-Age=${token === '' ? 0 : limits.queueSessionSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/**
 * Refuses what a page of another origin sent, or what does not say where it comes from, as every browser does
 * of what writes.
 *
 * @throws DomainError `forbidden`
 */
export function mustBeSameOrigin({ headers, host }: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isSame =
    origin === undefined
      ? site === 'same-origin'
      : URL.parse(origin)?.host === host && (site ?? 'same-origin') === 'same-origin';
  if (!isSame) throw new DomainError('forbidden', 'it must come from the dashboard itself');
}
