import type { Static } from 'typebox';
import type { Group, GroupChange, Groups, GroupsQuery, NewGroup } from '../../schemas/group.ts';
import type {
  GroupMemberships,
  GroupMemberToChange,
  MembershipsQuery,
} from '../../schemas/membership.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

type MembersToSet = GroupMemberToChange[];
type Query = ListQuery<typeof GroupsQuery>;

const groupShape = having<Group>('id', 'name', 'org_id');
const pageShape = having<Static<typeof Groups>>('total', 'groups');
const membersShape = having<Static<typeof GroupMemberships>>('total', 'group_memberships');

export class GroupsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The new group's id. */
  create(orgId: string, group: NewGroup): Promise<string> {
    const { transport, as } = this.#service;
    const url = this.#url('orgs', orgId, 'groups');
    return transport.created({ method: 'POST', url, as, json: group });
  }

  /** Several at once: all of them or none. */
  async createAll(orgId: string, groups: NewGroup[]): Promise<Group[]> {
    const { transport, as } = this.#service;
    const url = this.#url('orgs', orgId, 'groups');
    const ask = { method: 'POST', url, as, json: groups } as const;
    const made = await transport.json(ask, having<{ groups: Group[] }>('groups'));
    return made.groups;
  }

  view(id: string): Promise<Group> {
    return read(this.#service, this.#url('groups', id), groupShape);
  }

  ofThing(thingId: string): Promise<Group> {
    return read(this.#service, this.#url('things', thingId, 'groups'), groupShape);
  }

  ofProfile(profileId: string): Promise<Group> {
    return read(this.#service, this.#url('profiles', profileId, 'groups'), groupShape);
  }

  list(query: Query = {}): Promise<Static<typeof Groups>> {
    return read(this.#service, this.#url('groups'), pageShape, query);
  }

  listOfOrg(orgId: string, query: Query = {}): Promise<Static<typeof Groups>> {
    return read(this.#service, this.#url('orgs', orgId, 'groups'), pageShape, query);
  }

  async update(id: string, change: GroupChange): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url('groups', id), as, json: change });
  }

  async delete(id: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'DELETE', url: this.#url('groups', id), as });
  }

  async addMembers(id: string, members: MembersToSet): Promise<void> {
    await this.#setMembers('POST', id, members);
  }

  async changeRoles(id: string, members: MembersToSet): Promise<void> {
    await this.#setMembers('PUT', id, members);
  }

  async removeMembers(id: string, memberIds: string[]): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url('groups', id, 'memberships');
    await transport.done({ method: 'PATCH', url, as, json: { member_ids: memberIds } });
  }

  listMembers(
    id: string,
    query: ListQuery<typeof MembershipsQuery> = {},
  ): Promise<Static<typeof GroupMemberships>> {
    return read(this.#service, this.#url('groups', id, 'memberships'), membersShape, query);
  }

  async #setMembers(method: 'POST' | 'PUT', id: string, members: MembersToSet): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url('groups', id, 'memberships');
    await transport.done({ method, url, as, json: { group_memberships: members } });
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.things}${path(...parts)}`;
  }
}
