import type {
  Certificate,
  IssuedCertificate,
  NewCertificate,
  Requests,
  Revocation,
  Serials,
} from '../generated/types.ts';
import { call, open, type Service } from '../service.ts';

export class CertsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  issue(cert: NewCertificate): Promise<IssuedCertificate> {
    return call(this.#service, 'issueCertificate', { body: cert });
  }

  view(serial: string): Promise<Certificate> {
    return call(this.#service, 'viewCertificate', { path: { serial } });
  }

  renew(serial: string): Promise<IssuedCertificate> {
    return call(this.#service, 'renewCertificate', { path: { serial } });
  }

  revoke(serial: string): Promise<Revocation> {
    return call(this.#service, 'revokeCertificate', { path: { serial } });
  }

  serials(thingId: string, query: Requests['listSerials']['query'] = {}): Promise<Serials> {
    return call(this.#service, 'listSerials', { path: { id: thingId }, query });
  }

  /** What no longer holds: the list as it is served, PEM or DER. */
  async revocationList(): Promise<Buffer> {
    const answer = await open(this.#service, 'viewRevocationList', {});
    return Buffer.from(await answer.body.arrayBuffer());
  }
}
