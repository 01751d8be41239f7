import type { Database } from '../../stores/database.ts';
import type { Authority } from './authority.ts';
import { Type } from 'typebox';
import {
  Certificate,
  IssuedCertificate,
  keyTypeOf,
  NewCertificate,
  Revocation,
  Serial,
  Serials,
  SerialsQuery,
} from '../../../schemas/resources/certificate.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Role } from '../../../schemas/roles.ts';
import { requireRole } from '../../access/authorize.ts';
import { type UserCaller, userOf } from '../../access/caller.ts';
import { present } from '../../http/errors.ts';
import { envelope } from '../../http/query/list-query.ts';
import { type Api, IdParams } from '../../http/schemas.ts';
import { endAfter, endOf, issueCertificate } from './issue.ts';
import { keySpecOf } from './key-pair.ts';
import { createRevocationList, toPem } from './revocation-list.ts';
import { findCertificate, findSerials, revokeCertificate } from './sql.ts';

const SerialParams = Type.Object({ serial: Serial });

/** The role in a thing's group decides about its certificates. */
export function certificateRoutes(
  api: Api,
  dependencies: {
    db: Database;
    authority: Authority;
    crlUrl: string | undefined;
    announceKeyChanges: () => void;
  },
): void {
  const { db, authority, announceKeyChanges } = dependencies;
  const revocationList = createRevocationList(db, authority);

  /** @throws DomainError `not_found` if it is absent or its thing is; `forbidden` */
  async function certificateFor(
    user: UserCaller,
    role: Role,
    serial: string,
  ): Promise<Certificate> {
    const certificate = present(await findCertificate(db, serial), 'certificate');
    await requireRole(db, user, role, 'thing', certificate.thing_id);
    return certificate;
  }

  api.route({
    method: 'POST',
    url: '/certs',
    schema: { body: NewCertificate, response: { 201: IssuedCertificate } },
    config: { operation: 'issueCertificate' },
    handler: async (request, reply) => {
      const { ttl, key_type: type = 'rsa', key_bits: bits } = request.body;
      const thingId = request.body.thing_id.toLowerCase();
      const spec = keySpecOf(keyTypeOf(type), bits);
      const end = endOf(ttl, authority);
      await requireRole(db, userOf(request), 'editor', 'thing', thingId);
      const issued = await issueCertificate(dependencies, thingId, spec, end);
      announceKeyChanges();
      return reply.status(201).send(issued);
    },
  });

  api.route({
    method: 'GET',
    url: '/certs/:serial',
    schema: { params: SerialParams, response: { 200: Certificate } },
    config: { operation: 'viewCertificate' },
    handler: async (request) => certificateFor(userOf(request), 'viewer', request.params.serial),
  });

  // The old one stays valid until it ends or is revoked, so that its thing always has one.
  api.route({
    method: 'PUT',
    url: '/certs/:serial',
    schema: { params: SerialParams, response: { 200: IssuedCertificate } },
    config: { operation: 'renewCertificate' },
    handler: async (request) => {
      const old = await certificateFor(userOf(request), 'editor', request.params.serial);
      if (old.revocation_time !== undefined) {
        throw new DomainError('conflict', 'the certificate is revoked');
      }
      const seconds = (Date.parse(old.expires_at) - Date.parse(old.issued_at)) / 1_000;
      const end = endAfter(seconds, authority.certificate.notAfter);
      const spec = keySpecOf(old.key_type, old.key_bits);
      const issued = await issueCertificate(dependencies, old.thing_id, spec, end);
      announceKeyChanges();
      return issued;
    },
  });

  api.route({
    method: 'DELETE',
    url: '/certs/:serial',
    schema: { params: SerialParams, response: { 200: Revocation } },
    config: { operation: 'revokeCertificate' },
    handler: async (request) => {
      const { serial } = request.params;
      await certificateFor(userOf(request), 'editor', serial);
      const revokedAt = present(await revokeCertificate(db, serial), 'certificate');
      announceKeyChanges();
      return { revocation_time: revokedAt.toISOString() };
    },
  });

  api.route({
    method: 'GET',
    url: '/things/:id/serials',
    schema: { params: IdParams, querystring: SerialsQuery, response: { 200: Serials } },
    config: { operation: 'listSerials' },
    handler: async (request) => {
      const { total, rows } = await findSerials(db, request.params.id, request.query);
      return { ...envelope(request.query, total), certs: rows };
    },
  });

  api.route({
    method: 'GET',
    url: '/crl',
    config: { operation: 'viewRevocationList' },
    handler: async (request, reply) => {
      const crl = await revocationList();
      reply.header('vary', 'accept');
      return request.headers.accept?.includes(pemType) === true
        ? reply.type(pemType).send(toPem(crl))
        : reply.type('application/pkix-crl').send(crl);
    },
  });
}

const pemType = 'application/x-pem-file';
