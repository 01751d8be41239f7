import type { ApiKey, ApiKeys, IssuedApiKey, Requests } from '../generated/types.ts';
import { call, done, type Service } from '../service.ts';

export class KeysClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Of so many seconds; 0 is for ever. The value shows here, and never again. */
  issue(durationSeconds: number): Promise<IssuedApiKey> {
    return call(this.#service, 'issueKey', { body: { type: 2, duration: durationSeconds } });
  }

  view(id: string): Promise<ApiKey> {
    return call(this.#service, 'viewKey', { path: { id } });
  }

  list(query: Requests['listKeys']['query'] = {}): Promise<ApiKeys> {
    return call(this.#service, 'listKeys', { query });
  }

  async revoke(id: string): Promise<void> {
    await done(this.#service, 'revokeKey', { path: { id } });
  }
}
