import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Secret } from '../../../infra/runtime/process/config.ts';
import type { CredentialProblem } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/** Whose token it is, and of which generation of theirs: a change of password begins a new one. */
type TokenClaims = { userId: string; generation: number };

/** Tokens of users: JWTs, opaque to clients. An issuer verifies only its own. */
export type Tokens = {
  issue(claims: TokenClaims): Promise<string>;
  /** Whose it is, or why it is no token of ours, or no longer one. */
  verify(token: string): Promise<TokenClaims | CredentialProblem>;
};

const algorithm = 'HS256';
const issuer = 'millrace';

export function createTokens(secret: Secret, lifetimeSeconds: number): Tokens {
  const key = new TextEncoder().encode(secret.reveal());
  // A token comes with each request, and its signature does not change: it is verified in libuv's threads, where
  // it waits for whatever else is there.
  const verified = new LRUCache<string, { claims: TokenClaims; endsAt: number }>({
    max: limits.knownCredentialsMax,
  });
  return {
    issue: ({ userId, generation }) =>
      new SignJWT({ gen: generation })
        .setProtectedHeader({ alg: algorithm })
        .setIssuer(issuer)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
        .sign(key),
    async verify(token) {
      const known = verified.get(token);
      if (known !== undefined && Date.now() < known.endsAt) return known.claims;
      try {
        const { payload } = await jwtVerify(token, key, { issuer, algorithms: [algorithm] });
        // Those from before there were generations are of the first.
        const { sub: userId, gen: generation = 0, exp = 0 } = payload;
        if (userId === undefined || typeof generation !== 'number') return 'credential_unknown';
        const claims = { userId, generation };
        verified.set(token, { claims, endsAt: exp * 1_000 });
        return claims;
      } catch (error) {
        // Told of what has our signature alone.
        if (error instanceof errors.JWTExpired) return 'credential_expired';
        if (error instanceof errors.JWSInvalid) return 'credential_malformed';
        if (error instanceof errors.JOSEError) return 'credential_unknown';
        throw error;
      }
    },
  };
}
