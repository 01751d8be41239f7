import { DomainError } from '../../../schemas/http/errors.ts';
import { type Certificate, keyTypeOf } from '../../../schemas/resources/certificate.ts';
import type { Role } from '../../../schemas/roles.ts';
import { requireRole } from '../../access/authorize.ts';
import { type UserCaller, userOf } from '../../access/caller.ts';
import { present } from '../../http/errors.ts';
import { handle } from '../../http/handle.ts';
import { envelope } from '../../http/query/list-query.ts';
import type { Api } from '../../http/schemas.ts';
import type { Database } from '../../stores/database.ts';
import type { Authority } from './authority.ts';
import { endAfter, endOf, issueCertificate } from './issue.ts';
import { keySpecOf } from './key-pair.ts';
import { certificates } from './operations.ts';
import { createRevocationList, toPem } from './revocation-list.ts';
import { findCertificate, findSerials, revokeCertificate } from './sql.ts';

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

  handle(api, certificates.issueCertificate, async (request, reply) => {
    const { ttl, key_type: type = 'rsa', key_bits: bits } = request.body;
    const thingId = request.body.thing_id.toLowerCase();
    const spec = keySpecOf(keyTypeOf(type), bits);
    const end = endOf(ttl, authority);
    await requireRole(db, userOf(request), 'editor', 'thing', thingId);
    const issued = await issueCertificate(dependencies, thingId, spec, end);
    announceKeyChanges();
    return reply.status(201).send(issued);
  });

  handle(api, certificates.viewCertificate, async (request) =>
    certificateFor(userOf(request), 'viewer', request.params.serial),
  );

  // The old one stays valid until it ends or is revoked, so that its thing always has one.
  handle(api, certificates.renewCertificate, async (request) => {
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
  });

  handle(api, certificates.revokeCertificate, async (request) => {
    const { serial } = request.params;
    await certificateFor(userOf(request), 'editor', serial);
    const revokedAt = present(await revokeCertificate(db, serial), 'certificate');
    announceKeyChanges();
    return { revocation_time: revokedAt.toISOString() };
  });

  handle(api, certificates.listSerials, async (request) => {
    const { total, rows } = await findSerials(db, request.params.id, request.query);
    return { ...envelope(request.query, total), certs: rows };
  });

  handle(api, certificates.viewRevocationList, async (request, reply) => {
    const crl = await revocationList();
    reply.header('vary', 'accept');
    return request.headers.accept?.includes(pemType) === true
      ? reply.type(pemType).send(toPem(crl))
      : reply.type('application/pkix-crl').send(crl);
  });
}

const pemType = 'application/x-pem-file';
