import type { Static } from 'typebox';
import type {
  MembershipsQuery,
  OrgMembership,
  OrgMemberships,
  OrgMembershipsToChange,
} from '../../schemas/membership.ts';
import type { NewOrg, Org, OrgChange, Orgs, OrgsQuery } from '../../schemas/org.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

type MembersToSet = Static<typeof OrgMembershipsToChange>['org_memberships'];

const orgShape = having<Org>('id', 'name');
const pageShape = having<Static<typeof Orgs>>('total', 'orgs');
const memberShape = having<OrgMembership>('member_id', 'email', 'role');
const membersShape = having<Static<typeof OrgMemberships>>('total', 'org_memberships');

export class OrgsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The new org's id. */
  create(org: NewOrg): Promise<string> {
    const { transport, as } = this.#service;
    return transport.created({ method: 'POST', url: this.#url(), as, json: org });
  }

  view(id: string): Promise<Org> {
    return read(this.#service, this.#url(id), orgShape);
  }

  list(query: ListQuery<typeof OrgsQuery> = {}): Promise<Static<typeof Orgs>> {
    return read(this.#service, this.#url(), pageShape, query);
  }

  async update(id: string, change: OrgChange): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url(id), as, json: change });
  }

  async delete(id: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'DELETE', url: this.#url(id), as });
  }

  async addMembers(id: string, members: MembersToSet): Promise<void> {
    await this.#setMembers('POST', id, members);
  }

  async changeRoles(id: string, members: MembersToSet): Promise<void> {
    await this.#setMembers('PUT', id, members);
  }

  async removeMembers(id: string, memberIds: string[]): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url(id, 'memberships');
    await transport.done({ method: 'PATCH', url, as, json: { member_ids: memberIds } });
  }

  viewMember(id: string, memberId: string): Promise<OrgMembership> {
    return read(this.#service, this.#url(id, 'members', memberId), memberShape);
  }

  listMembers(
    id: string,
    query: ListQuery<typeof MembershipsQuery> = {},
  ): Promise<Static<typeof OrgMemberships>> {
    return read(this.#service, this.#url(id, 'memberships'), membersShape, query);
  }

  async #setMembers(method: 'POST' | 'PUT', id: string, members: MembersToSet): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url(id, 'memberships');
    await transport.done({ method, url, as, json: { org_memberships: members } });
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.auth}/orgs${path(...parts)}`;
  }
}
