import type {
  OrgMembership,
  NewOrg,
  Org,
  OrgChange,
  OrgMemberships,
  Orgs,
  QuotaChange,
  Requests,
  Usage,
} from '../generated/types.ts';
import { call, created, done, type Service } from '../service.ts';
import { AuditClient } from './audit.ts';

type MembersToAdd = Requests['addOrgMembers']['body']['org_memberships'];
type MembersToChange = Requests['changeOrgRoles']['body']['org_memberships'];

export class OrgsClient {
  readonly #service: Service;
  readonly audit: AuditClient;

  constructor(service: Service) {
    this.#service = service;
    this.audit = new AuditClient(service);
  }

  /** The new org's id. */
  create(org: NewOrg): Promise<string> {
    return created(this.#service, 'createOrg', { body: org });
  }

  view(id: string): Promise<Org> {
    return call(this.#service, 'viewOrg', { path: { id } });
  }

  list(query: Requests['listOrgs']['query'] = {}): Promise<Orgs> {
    return call(this.#service, 'listOrgs', { query });
  }

  search(body: Requests['searchOrgs']['body'] = {}): Promise<Orgs> {
    return call(this.#service, 'searchOrgs', { body }, { reads: true });
  }

  async update(id: string, change: OrgChange): Promise<void> {
    await done(this.#service, 'updateOrg', { path: { id }, body: change });
  }

  async delete(id: string): Promise<void> {
    await done(this.#service, 'deleteOrg', { path: { id } });
  }

  /** What it has and sent, and its quota. */
  usage(id: string): Promise<Usage> {
    return call(this.#service, 'viewOrgUsage', { path: { id } });
  }

  async setQuota(id: string, change: QuotaChange): Promise<void> {
    await done(this.#service, 'setOrgQuota', { path: { id }, body: change });
  }

  async addMembers(id: string, members: MembersToAdd): Promise<void> {
    const body = { org_memberships: members };
    await done(this.#service, 'addOrgMembers', { path: { id }, body });
  }

  async changeRoles(id: string, members: MembersToChange): Promise<void> {
    const body = { org_memberships: members };
    await done(this.#service, 'changeOrgRoles', { path: { id }, body });
  }

  async removeMembers(id: string, memberIds: string[]): Promise<void> {
    const body = { member_ids: memberIds };
    await done(this.#service, 'removeOrgMembers', { path: { id }, body });
  }

  viewMember(id: string, memberId: string): Promise<OrgMembership> {
    return call(this.#service, 'viewOrgMember', { path: { id, memberId } });
  }

  listMembers(
    id: string,
    query: Requests['listOrgMembers']['query'] = {},
  ): Promise<OrgMemberships> {
    return call(this.#service, 'listOrgMembers', { path: { id }, query });
  }
}
