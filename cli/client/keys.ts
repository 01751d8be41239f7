import type { Static } from 'typebox';
import type { ApiKey, ApiKeys, ApiKeysQuery, IssuedApiKey } from '../../schemas/api-key.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

const issuedShape = having<Static<typeof IssuedApiKey>>('id', 'value');
const keyShape = having<ApiKey>('id', 'issuer_id');
const pageShape = having<Static<typeof ApiKeys>>('total', 'keys');

export class KeysClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Of so many seconds; 0 is for ever. The value shows here, and never again. */
  issue(durationSeconds: number): Promise<Static<typeof IssuedApiKey>> {
    const { transport, as } = this.#service;
    const json = { type: 2, duration: durationSeconds };
    return transport.json({ method: 'POST', url: this.#url(), as, json }, issuedShape);
  }

  view(id: string): Promise<ApiKey> {
    return read(this.#service, this.#url(id), keyShape);
  }

  list(query: ListQuery<typeof ApiKeysQuery> = {}): Promise<Static<typeof ApiKeys>> {
    return read(this.#service, this.#url(), pageShape, query);
  }

  async revoke(id: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'DELETE', url: this.#url(id), as });
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.auth}/keys${path(...parts)}`;
  }
}
