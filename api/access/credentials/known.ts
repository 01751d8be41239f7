import { LRUCache } from 'lru-cache';
import type { Spender } from '../../budgets/budget.ts';
import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import { limits } from '../../limits.ts';
import type { Credential } from './credential.ts';

/**
 * The accounts of credentials that were valid a short time ago. A key is known only from the network that it came
 * from, so that its owner is served there while someone else guesses keys.
 */
export class KnownCredentials {
  readonly #spenders = new LRUCache<string, Spender>({ max: limits.knownCredentialsMax });

  spenderOf(credential: Credential, address: string): Spender | undefined {
    return this.#spenders.get(nameOf(credential, address));
  }

  remember(credential: Credential, address: string, spender: Spender): void {
    this.#spenders.set(nameOf(credential, address), spender);
  }

  forget(credential: Credential, address: string): void {
    this.#spenders.delete(nameOf(credential, address));
  }
}

function nameOf(credential: Credential, address: string): string {
  if (credential.kind === 'token') return credential.userId;
  return `${networkOf(address)} ${credential.kind} ${credential.lookup.toString('base64url')}`;
}
