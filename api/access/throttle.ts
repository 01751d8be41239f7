import { createHash } from 'node:crypto';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { networkOf } from '../../infra/runtime/network/client-address.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { DomainError } from '../../schemas/http/errors.ts';
import type { RateLeft, RateLimit } from '../../schemas/http/rate-limit.ts';
import { limits } from '../limits.ts';

/** How often a login or an unknown key may fail, and how many invites may be mailed. */
export type ThrottleConfig = {
  loginFailuresPerAccountMax: number;
  loginFailuresPerAccountSeconds: number;
  loginFailuresPerAddressMax: number;
  loginFailuresPerAddressSeconds: number;
  unknownKeysPerMinuteMax: number;
  invitesPerInviteePerDayMax: number;
  invitesPerOrgPerDayMax: number;
  invitesPerMailboxPerDayMax: number;
};

/**
 * Counts failures, in Redis for all API processes together; while it is away, each for itself. A try counts
 * as a failure before anything is asked of it, so that a thousand at once are no more than one by one.
 */
export type Throttle = {
  /** @throws DomainError `too_many` when logins from this address have failed too often. */
  checkAddress(address: string): Promise<void>;
  /** @throws DomainError `too_many` when logins of this account have. */
  checkAccount(account: string): Promise<void>;
  /** Counts a login; what is left for others that fail. @throws DomainError `too_many` */
  tryLogin(account: string, address: string): Promise<RateLeft[]>;
  /** It was right: forgets the account's failures, and this one of the address, which may guess at others. */
  loginSucceeded(account: string, address: string): Promise<void>;
  /** Counts a key that may be unknown. @throws DomainError `too_many` */
  guess(address: string): Promise<void>;
  /** It was known. */
  guessedRight(address: string): Promise<void>;
  /** Counts a use of a share, by the name of its token. @throws DomainError `too_many` */
  useShare(token: string, address: string): Promise<void>;
  /**
   * Counts an invite to an org by mail: of the org to one invitee, of the org, and of the inviter in all their orgs.
   * Gives what is left for more.
   *
   * @throws DomainError `too_many`
   */
  invite(invite: { orgId: string; inviterId: string; inviteeId: string }): Promise<RateLeft[]>;
  /**
   * Counts an invite of whomever in a mailbox. What is left is not told: it would tell of the invites of others.
   *
   * @throws DomainError `too_many`
   */
  inviteTo(email: string): Promise<void>;
};

/** A limit, and the words of its refusal. */
type Limiter = { counts: RateLimiterAbstract; rate: RateLimit };

export function createThrottle(redis: Redis, config: ThrottleConfig): Throttle {
  const limiter = (name: string, points: number, duration: number): Limiter => {
    const keyPrefix = `millrace:throttle:${name}`;
    const counts = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix, points, duration }),
    });
    return { counts, rate: { name, quota: points, windowSeconds: duration } };
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
  const daySeconds = 86_400;
  const invitesToOne = limiter('invites-to', config.invitesPerInviteePerDayMax, daySeconds);
  const mailboxMax = config.invitesPerMailboxPerDayMax;
  const invitesToMailbox = limiter('invites-to-mailbox', mailboxMax, daySeconds);
  const invites = limiter('invites', config.invitesPerOrgPerDayMax, daySeconds);

  return {
    checkAddress: (address) => refuseSpent(addresses, networkOf(address)),
    checkAccount: (account) => refuseSpent(accounts, nameOf(account)),
    async tryLogin(account, address) {
      const ofAddress = await consume(addresses, networkOf(address));
      return [await consume(accounts, nameOf(account)), ofAddress];
    },
    async loginSucceeded(account, address) {
      await accounts.counts.delete(nameOf(account));
      await addresses.counts.reward(networkOf(address));
    },
    async guess(address) {
      await consume(keys, networkOf(address));
    },
    async guessedRight(address) {
      await keys.counts.reward(networkOf(address));
    },
    ...countingShares(limiter),
    async invite({ orgId, inviterId, inviteeId }) {
      const toOne = await consume(invitesToOne, `${orgId} ${inviteeId}`);
      const ofOrg = await consume(invites, `org ${orgId}`);
      const ofInviter = await consume(invites, `inviter ${inviterId}`);
      return [toOne, ofOrg.remaining < ofInviter.remaining ? ofOrg : ofInviter];
    },
    async inviteTo(email) {
      await consume(invitesToMailbox, nameOf(email.toLowerCase()));
    },
  };
}

function countingShares(
  limiter: (name: string, points: number, duration: number) => Limiter,
): Pick<Throttle, 'useShare'> {
  const ofToken = limiter('share', limits.sharedPerTokenPerMinuteMax, 60);
  const ofNetwork = limiter('shares-from', limits.sharedPerNetworkPerMinuteMax, 60);
  return {
    async useShare(token, address) {
      await consume(ofNetwork, networkOf(address));
      await consume(ofToken, token);
    },
  };
}

async function refuseSpent({ counts, rate }: Limiter, key: string): Promise<void> {
  const state = await counts.get(key);
  if (state !== null && state.consumedPoints >= rate.quota) throw tooMany(state, rate);
}

async function consume({ counts, rate }: Limiter, key: string): Promise<RateLeft> {
  try {
    return leftOf(await counts.consume(key), rate);
  } catch (refusal) {
    throw refusal instanceof RateLimiterRes ? tooMany(refusal, rate) : refusal;
  }
}

function tooMany(state: RateLimiterRes, rate: RateLimit): DomainError {
  const left = leftOf(state, rate);
  return new DomainError('too_many', undefined, left.resetSeconds, [left]);
}

function leftOf({ remainingPoints, msBeforeNext }: RateLimiterRes, rate: RateLimit) {
  const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  return { rate, remaining: Math.max(0, remainingPoints), resetSeconds };
}

/** An account, known or not, without writing an e-mail into Redis. */
function nameOf(account: string): string {
  return createHash('sha256').update(account).digest('base64url');
}
