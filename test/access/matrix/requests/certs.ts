import { type Sample, everywhere, anywhere, inGroup } from './sample.ts';

export const samplesOfCerts: Readonly<Record<string, Sample>> = {
  issueCertificate: {
    method: 'POST',
    path: () => '/certs',
    body: (place) => ({ thing_id: place.thingId, ttl: '1h', key_type: 'ecdsa', key_bits: 256 }),
    good: 201,
    places: everywhere,
    rule: inGroup('editor'),
  },
  viewCertificate: {
    method: 'GET',
    path: (place) => `/certs/${place.serial}`,
    good: 200,
    places: everywhere,
    rule: inGroup('viewer'),
  },
  renewCertificate: {
    method: 'PUT',
    path: (place) => `/certs/${place.serial}`,
    good: 200,
    places: everywhere,
    rule: inGroup('editor'),
  },
  revokeCertificate: {
    method: 'DELETE',
    path: (place) => `/certs/${place.serial}`,
    good: 200,
    places: everywhere,
    rule: inGroup('editor'),
    fresh: 'certificate',
  },
  listSerials: {
    method: 'GET',
    path: (place) => `/things/${place.thingId}/serials`,
    good: 200,
    places: everywhere,
  },
  viewRevocationList: { method: 'GET', path: () => '/crl', good: 200, places: anywhere },
};
