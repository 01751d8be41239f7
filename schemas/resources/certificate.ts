import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { listQuery, pageEnvelope } from '../http/page.ts';

/** The types of a certificate's key, and their sizes in bits; the first is the default. */
export const keyBitsOfType = { rsa: [2048, 4096], ecdsa: [256, 384, 521] } as const;

export const CertKeyType = Type.Enum(['rsa', 'ecdsa']);
export type CertKeyType = Static<typeof CertKeyType>;

/** As clients spell the types, the platform's among them. */
const spelledKeyTypes = ['rsa', 'ecdsa', 'ec', 'RSA', 'ECDSA', 'EC'] as const;
type SpelledKeyType = (typeof spelledKeyTypes)[number];

export function keyTypeOf(spelled: SpelledKeyType): CertKeyType {
  return spelled.toLowerCase() === 'rsa' ? 'rsa' : 'ecdsa';
}

/** Lower-case hex, `01` and 128 random bits: OpenSSL prints the same in upper case. */
export const Serial = Type.String({ pattern: '^01[0-9a-fA-F]{32}$' });

/** `ttl` is a duration as in Go, such as `8760h` or `1h30m`; a number alone means hours. */
export const NewCertificate = Type.Object({
  thing_id: about(
    Uuid,
    'Id of the thing that is known by the certificate.',
    'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
  ),
  ttl: Type.Optional(
    about(
      Type.String({ maxLength: 64 }),
      'How long it is valid: a duration such as `8760h` or `1h30m`; without a unit, hours. Default `8760h`.',
      '8760h',
    ),
  ),
  key_type: Type.Optional(
    about(
      Type.Enum([...spelledKeyTypes]),
      'Type of the key: `rsa` or `ecdsa`, which may also be spelled `ec`; all in lower or in upper case. Default `rsa`.',
      'ecdsa',
    ),
  ),
  key_bits: Type.Optional(
    about(
      Type.Integer(),
      'Length of the key in bits: 2048 (the default) or 4096 of `rsa`, 256 (the default), 384 or 521 of `ecdsa`.',
      256,
    ),
  ),
});
export type NewCertificate = Static<typeof NewCertificate>;

/** All PEM. `ca_chain` begins with `issuing_ca`. */
const chain = {
  thing_id: about(
    Uuid,
    'Id of the thing that is known by it.',
    'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b',
  ),
  certificate: about(
    Type.String(),
    'The certificate, PEM.',
    '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
  ),
  issuing_ca: about(
    Type.String(),
    'Certificate of the authority that issued it, PEM.',
    '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
  ),
  ca_chain: about(
    Type.Array(Type.String()),
    'Certificates of the authorities, PEM, beginning with `issuing_ca`.',
    ['-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'],
  ),
  serial: about(
    Type.String(),
    'Serial number: lower-case hex.',
    '01a3f2c45be6d7089912345678abcdef01',
  ),
};

/** The private key is in this answer only. */
export const IssuedCertificate = Type.Object({
  ...chain,
  private_key: about(
    Type.String(),
    'Private key, PEM. It is shown here, and never again.',
    '-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n',
  ),
  private_key_type: about(Type.Enum(['rsa', 'ec']), 'Type of the private key.', 'ec'),
  expires_at: about(
    Timestamp,
    'When it ends: ISO 8601, UTC, milliseconds.',
    '2027-11-21T10:00:00.000Z',
  ),
});
export type IssuedCertificate = Static<typeof IssuedCertificate>;

/** `revocation_time` is there if it is revoked. */
export const Certificate = Type.Object({
  ...chain,
  key_type: about(CertKeyType, 'Type of the key.', 'ecdsa'),
  key_bits: about(Type.Integer(), 'Length of the key in bits.', 256),
  issued_at: about(
    Timestamp,
    'When it was issued: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  expires_at: about(
    Timestamp,
    'When it ends: ISO 8601, UTC, milliseconds.',
    '2027-11-21T10:00:00.000Z',
  ),
  revocation_time: Type.Optional(
    about(Timestamp, 'When it was revoked: ISO 8601, UTC, milliseconds. Absent: it was not.'),
  ),
});
export type Certificate = Static<typeof Certificate>;

export const Revocation = Type.Object({
  revocation_time: about(
    Timestamp,
    'When it was revoked: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
});

export const serialOrders = ['id', 'issued_at', 'expires_at'] as const;
export const SerialsQuery = Type.Omit(listQuery(serialOrders, {}), ['metadata']);
export const ListedSerial = Type.Object({
  thing_id: about(Uuid, 'Id of the thing: a UUID.', 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'),
  cert_serial: about(
    Type.String(),
    'Serial number: lower-case hex.',
    '01a3f2c45be6d7089912345678abcdef01',
  ),
  issued_at: about(
    Timestamp,
    'When it was issued: ISO 8601, UTC, milliseconds.',
    '2026-11-21T10:00:00.000Z',
  ),
  expires_at: about(
    Timestamp,
    'When it ends: ISO 8601, UTC, milliseconds.',
    '2027-11-21T10:00:00.000Z',
  ),
});
export type ListedSerial = Static<typeof ListedSerial>;
/** The certificates of a thing that are not revoked. */
export const Serials = Type.Object({
  ...pageEnvelope,
  certs: about(Type.Array(ListedSerial), 'Certificates of the page.'),
});
