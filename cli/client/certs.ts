import type { Static } from 'typebox';
import type {
  Certificate,
  IssuedCertificate,
  NewCertificate,
  Revocation,
  Serials,
} from '../../schemas/certificate.ts';
import { read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

const issuedShape = having<IssuedCertificate>('certificate', 'private_key', 'serial');
const certShape = having<Certificate>('certificate', 'serial');
const pageShape = having<Static<typeof Serials>>('total', 'certs');

export class CertsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  issue(cert: NewCertificate): Promise<IssuedCertificate> {
    const { transport, as } = this.#service;
    return transport.json({ method: 'POST', url: this.#url('certs'), as, json: cert }, issuedShape);
  }

  view(serial: string): Promise<Certificate> {
    return read(this.#service, this.#url('certs', serial), certShape);
  }

  renew(serial: string): Promise<IssuedCertificate> {
    const { transport, as } = this.#service;
    return transport.json({ method: 'PUT', url: this.#url('certs', serial), as }, issuedShape);
  }

  revoke(serial: string): Promise<Static<typeof Revocation>> {
    const { transport, as } = this.#service;
    const ask = { method: 'DELETE', url: this.#url('certs', serial), as } as const;
    return transport.json(ask, having<Static<typeof Revocation>>('revocation_time'));
  }

  serials(
    thingId: string,
    query: { limit?: number; offset?: number } = {},
  ): Promise<Static<typeof Serials>> {
    return read(this.#service, this.#url('things', thingId, 'serials'), pageShape, query);
  }

  /** What no longer holds: the list as it is served, PEM or DER. */
  async revocationList(): Promise<Buffer> {
    const { transport } = this.#service;
    const answer = await transport.open({ method: 'GET', url: this.#url('crl'), reads: true });
    return Buffer.from(await answer.body.arrayBuffer());
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.certs}${path(...parts)}`;
  }
}
