import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Redis } from '../../infra/redis.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { ThrottleConfig } from '../config.ts';

/** Counts failures, in Redis for all API processes together; while it is away, each for itself. */
export type Throttle = {
  /** @throws DomainError `tooMany` when this account or this address has failed too often. */
  checkLogin(account: string, address: string): Promise<void>;
  /** Counts a failed login. @throws DomainError `tooMany` */
  loginFailed(account: string, address: string): Promise<void>;
  /** Forgets the account's failures. The address keeps its own: it may be guessing at others. */
  loginSucceeded(account: string): Promise<void>;
  /** Counts an unknown thing key. @throws DomainError `tooMany` */
  unknownKey(address: string): Promise<void>;
};

export function createThrottle(redis: Redis, config: ThrottleConfig): Throttle {
  const limiter = (name: string, points: number, duration: number): RateLimiterAbstract => {
    const keyPrefix = `millrace:throttle:${name}`;
    return new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points, duration }),
    });
  };
  const accounts = limiter(
    'account',
    config.loginFailuresPerAccountMax,
    config.loginFailuresPerAccountSeconds,
  );
  const addresses = limiter(
    'address',
    config.loginFailuresPerAddressMax,
    config.loginFailuresPerAddressSeconds,
  );
  const keys = limiter('unknown-key', config.unknownKeysPerMinuteMax, 60);

  return {
    async checkLogin(account, address) {
      await refuseSpent(accounts, nameOf(account));
      await refuseSpent(addresses, networkOf(address));
    },
    async loginFailed(account, address) {
      await consume(accounts, nameOf(account));
      await consume(addresses, networkOf(address));
    },
    async loginSucceeded(account) {
      await accounts.delete(nameOf(account));
    },
    unknownKey: (address) => consume(keys, networkOf(address)),
  };
}

async function refuseSpent(limiter: RateLimiterAbstract, key: string): Promise<void> {
  const state = await limiter.get(key);
  if (state !== null && state.consumedPoints >= limiter.points) throw tooMany(state);
}

async function consume(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    throw refusal instanceof RateLimiterRes ? tooMany(refusal) : refusal;
  }
}

function tooMany(state: RateLimiterRes): DomainError {
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
  return new DomainError('tooMany', undefined, seconds);
}

/** An account by its e-mail, known or not, without writing the e-mail into Redis. */
function nameOf(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('base64url');
}

/** What one household or host has: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address;
  const [left = '', right] = (address.split('%')[0] ?? '').split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
