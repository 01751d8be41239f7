import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Secret } from '../../../runtime/process/config.ts';
import { clickHouseError } from '../errors.ts';

const onlyUser = 'default';

/**
 * Holds a request's credentials (`Authorization: Basic`, `X-ClickHouse-User` and `-Key`, or the URL's
 * `user` and `password`) against the one user there is. Without a password any key is that user's.
 *
 * @throws ClickHouseError 516
 */
export function authenticate(request: IncomingMessage, password: Secret | undefined): void {
  const { user, key } = credentials(request);
  const isRight = password === undefined || timingSafeEqual(digest(key), digest(password.reveal()));
  if (user === onlyUser && isRight) return;
  throw clickHouseError('AUTHENTICATION_FAILED', `${user}: Authentication failed`);
}

function credentials(request: IncomingMessage): { user: string; key: string } {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const basic = /^Basic (.+)$/i.exec(authorization)?.[1];
    if (basic === undefined) {
      throw clickHouseError('AUTHENTICATION_FAILED', 'Only Basic authorization is served');
    }
    const [, user = '', key = ''] =
      /^([^:]*):?(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? [];
    return { user: user || onlyUser, key };
  }
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const user = request.headers['x-clickhouse-user'] || searchParams.get('user') || onlyUser;
  const key = request.headers['x-clickhouse-key'] ?? searchParams.get('password') ?? '';
  return { user: user.toString(), key: key.toString() };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
