import type { AuditEntries, Requests } from '../generated/types.ts';
import { call, open, type Service } from '../service.ts';
import { asFile, type Download, downloadOf } from './messages.ts';

export type AuditQuery = NonNullable<Requests['listAudit']['query']>;
export type AuditFileQuery = NonNullable<Requests['exportAudit']['query']>;
type OrgAuditQuery = NonNullable<Requests['listOrgAudit']['query']>;
type OrgAuditFileQuery = NonNullable<Requests['exportOrgAudit']['query']>;

/** Who changed what, in an org and on the platform. */
export class AuditClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  list(orgId: string, query: OrgAuditQuery = {}): Promise<AuditEntries> {
    return call(this.#service, 'listOrgAudit', { path: { id: orgId }, query });
  }

  listAll(query: AuditQuery = {}): Promise<AuditEntries> {
    return call(this.#service, 'listAudit', { query });
  }

  /** As `convert` names it: `ndjson` or `csv`. */
  async export(orgId: string, query: OrgAuditFileQuery = {}): Promise<Download> {
    const request = { path: { id: orgId }, query };
    return downloadOf(await open(this.#service, 'exportOrgAudit', request, asFile));
  }

  async exportAll(query: AuditFileQuery = {}): Promise<Download> {
    return downloadOf(await open(this.#service, 'exportAudit', { query }, asFile));
  }
}
