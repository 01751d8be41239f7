import { errors, jwtVerify, SignJWT } from 'jose';
import type { Secret } from '../../infra/config.ts';

/** Tokens of users: JWTs, opaque to clients. Each issuer takes its own and no other's. */
export type Tokens = {
  issue(userId: string): Promise<string>;
  /** The user's id; `undefined` for what is no token of ours, or no longer one. */
  verify(token: string): Promise<string | undefined>;
};

const algorithm = 'HS256';

export function createTokens(
  secret: Secret,
  lifetimeSeconds: number,
  issuer: 'millrace' | 'millrace queues',
): Tokens {
  const key = new TextEncoder().encode(secret.reveal());
  return {
    issue: (userId) =>
      new SignJWT()
        .setProtectedHeader({ alg: algorithm })
        .setIssuer(issuer)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1_000) + lifetimeSeconds)
        .sign(key),
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, { issuer, algorithms: [algorithm] });
        return payload.sub;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
