import { Type } from 'typebox';
import {
  Certificate,
  IssuedCertificate,
  NewCertificate,
  Revocation,
  Serial,
  Serials,
  SerialsQuery,
} from '../../../schemas/resources/certificate.ts';
import { operations } from '../../http/operation.ts';

const SerialParams = Type.Object({ serial: Serial });

export const certificates = operations('certificates', {
  /** For an editor of the thing. */
  issueCertificate: {
    method: 'POST',
    path: '/certs',
    needs: { kind: 'user' },
    body: NewCertificate,
    answers: { 201: IssuedCertificate },
    summary: 'Issue a certificate to a thing; its private key shows here alone',
    about: 'The private key is shown once.',
    errors: ['forbidden', 'not_found', 'too_many'],
    audit: 'certificate',
  },
  /** For a viewer of its thing. */
  viewCertificate: {
    method: 'GET',
    path: '/certs/:serial',
    needs: { kind: 'user' },
    params: SerialParams,
    answers: { 200: Certificate },
    summary: 'View a certificate',
    errors: ['forbidden', 'not_found'],
  },
  /** For an editor of its thing; so is the next. */
  renewCertificate: {
    method: 'PUT',
    path: '/certs/:serial',
    needs: { kind: 'user' },
    params: SerialParams,
    answers: { 200: IssuedCertificate },
    summary: 'Issue another of the same kind; the old one goes on until it ends or is revoked',
    errors: ['forbidden', 'not_found', 'conflict', 'too_many'],
    audit: 'certificate',
  },
  revokeCertificate: {
    method: 'DELETE',
    path: '/certs/:serial',
    needs: { kind: 'user' },
    params: SerialParams,
    answers: { 200: Revocation },
    summary: 'Revoke a certificate',
    errors: ['forbidden', 'not_found'],
    audit: 'certificate',
    removes: true,
  },
  listSerials: {
    method: 'GET',
    path: '/things/:id/serials',
    needs: { kind: 'member', role: 'viewer', of: 'thing' },
    query: SerialsQuery,
    answers: { 200: Serials },
    summary: 'List the certificates of a thing that are not revoked',
  },
  /** It is there for whoever is shown a certificate. */
  viewRevocationList: {
    method: 'GET',
    path: '/crl',
    needs: { kind: 'anyone' },
    written: {
      200: {
        content: {
          'application/pkix-crl': {
            schema: { type: 'string', format: 'binary', description: 'The list, DER.' },
          },
          'application/x-pem-file': {
            schema: { type: 'string', description: 'The list, PEM.' },
            example: '-----BEGIN X509 CRL-----\nMIIB…\n-----END X509 CRL-----\n',
          },
        },
      },
    },
    summary: 'The revocation list, as DER or, where that is accepted, as PEM',
  },
});
