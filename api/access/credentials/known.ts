import { LRUCache } from 'lru-cache';
import type { Spender } from '../../../infra/runtime/budgets/budget.ts';
import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import { limits } from '../../limits.ts';
import type { Credential } from './credential.ts';

/**
 * For whom the credentials spend that were right not long ago. Keys are known from the network that they
 * came from: so whoever guesses at keys there, those who belong there go on.
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
