import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from './common.ts';
import { listQuery, pageEnvelope } from './page.ts';

/** What the key of a certificate may be, and how long; the first is the default. */
export const keyBitsOfType = { rsa: [2048, 4096], ecdsa: [256, 384, 521] } as const;

export const CertKeyType = Type.Enum(['rsa', 'ecdsa']);
export type CertKeyType = Static<typeof CertKeyType>;

/** Lower-case hex, `01` and 128 random bits: what OpenSSL prints, but for the case. */
export const Serial = Type.String({ pattern: '^01[0-9a-fA-F]{32}$' });

/** `ttl` is a duration as Go has them, such as `8760h` or `1h30m`; a number alone is hours. */
export const NewCertificate = Type.Object({
  thing_id: Uuid,
  ttl: Type.Optional(Type.String({ maxLength: 64 })),
  key_type: Type.Optional(CertKeyType),
  key_bits: Type.Optional(Type.Integer()),
});
export type NewCertificate = Static<typeof NewCertificate>;

/** All PEM. `ca_chain` begins with `issuing_ca`. */
const chain = {
  certificate: Type.String(),
  issuing_ca: Type.String(),
  ca_chain: Type.Array(Type.String()),
  serial: Type.String(),
};

/** The private key shows here, and never again. */
export const IssuedCertificate = Type.Object({
  ...chain,
  private_key: Type.String(),
  private_key_type: Type.Enum(['rsa', 'ec']),
  expires_at: Timestamp,
});
export type IssuedCertificate = Static<typeof IssuedCertificate>;

/** `revocation_time` is there where it is revoked. */
export const Certificate = Type.Object({
  ...chain,
  thing_id: Uuid,
  key_type: CertKeyType,
  key_bits: Type.Integer(),
  issued_at: Timestamp,
  expires_at: Timestamp,
  revocation_time: Type.Optional(Timestamp),
});
export type Certificate = Static<typeof Certificate>;

export const Revocation = Type.Object({ revocation_time: Timestamp });

export const serialOrders = ['id', 'issued_at', 'expires_at'] as const;
export const SerialsQuery = Type.Omit(listQuery(serialOrders, {}), ['metadata']);
export const ListedSerial = Type.Object({
  thing_id: Uuid,
  cert_serial: Type.String(),
  issued_at: Timestamp,
  expires_at: Timestamp,
});
export type ListedSerial = Static<typeof ListedSerial>;
/** The certificates of a thing that are not revoked. */
export const Serials = Type.Object({ ...pageEnvelope, certs: Type.Array(ListedSerial) });
