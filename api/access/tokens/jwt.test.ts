import { setTimeout as delay } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { createTokens } from './jwt.ts';

const claims = { userId: '6f1f64f1-6d5c-4a75-8d3e-2f7d4b0f1c55', generation: 3 };

describe('a token', () => {
  it('that was verified before ends when it says', async () => {
    const tokens = createTokens(new Secret('a secret of thirty-two characters'), 2);
    const token = await tokens.issue(claims);
    expect(await tokens.verify(token)).toEqual(claims);
    const { exp } = decodeJwt(token);
    // A timer may be a moment early by the clock.
    await delay((exp ?? 0) * 1_000 - Date.now() + 50);
    expect(await tokens.verify(token)).toBe('credential_expired');
  });

  it('is no other issuer’s because one has verified it', async () => {
    const [one, other] = [
      createTokens(new Secret('a secret of thirty-two characters'), 60),
      createTokens(new Secret('another secret of as many letters'), 60),
    ];
    const token = await one.issue(claims);
    expect(await one.verify(token)).toEqual(claims);
    expect(await other.verify(token)).toBe('credential_unknown');
    expect(await one.verify(`${token}x`)).toBe('credential_unknown');
  });
});
