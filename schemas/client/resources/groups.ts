import type {
  Group,
  GroupChange,
  GroupMemberships,
  Groups,
  NewGroup,
  Requests,
} from '../generated/types.ts';
import { call, created, done, type Service } from '../service.ts';

type MembersToSet = Extract<Requests['changeGroupRoles']['body'], readonly unknown[]>;

/** Whose groups: all that the caller may see, or those of one org. */
export type GroupsOf = 'all' | { org: string };

export class GroupsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The new group's id. */
  create(orgId: string, group: NewGroup): Promise<string> {
    return created(this.#service, 'createGroups', { path: { id: orgId }, body: group });
  }

  /** Several at once: all of them or none. */
  async createAll(orgId: string, groups: NewGroup[]): Promise<Group[]> {
    const path = { id: orgId };
    const made = await call(this.#service, 'createGroups', { path, body: groups });
    return made.groups;
  }

  view(id: string): Promise<Group> {
    return call(this.#service, 'viewGroup', { path: { id } });
  }

  ofThing(thingId: string): Promise<Group> {
    return call(this.#service, 'viewThingGroup', { path: { id: thingId } });
  }

  ofProfile(profileId: string): Promise<Group> {
    return call(this.#service, 'viewProfileGroup', { path: { id: profileId } });
  }

  list(of: GroupsOf = 'all', query: Requests['listGroups']['query'] = {}): Promise<Groups> {
    return of === 'all'
      ? call(this.#service, 'listGroups', { query })
      : call(this.#service, 'listOrgGroups', { path: { id: of.org }, query });
  }

  search(of: GroupsOf, body: Requests['searchGroups']['body'] = {}): Promise<Groups> {
    const reads = { reads: true };
    return of === 'all'
      ? call(this.#service, 'searchGroups', { body }, reads)
      : call(this.#service, 'searchOrgGroups', { path: { id: of.org }, body }, reads);
  }

  async update(id: string, change: GroupChange): Promise<void> {
    await done(this.#service, 'updateGroup', { path: { id }, body: change });
  }

  async delete(id: string): Promise<void> {
    await done(this.#service, 'deleteGroup', { path: { id } });
  }

  /** Several at once: all of them or none. */
  async deleteAll(ids: string[]): Promise<void> {
    await done(this.#service, 'deleteGroups', { body: { group_ids: ids } });
  }

  async addMembers(id: string, members: MembersToSet): Promise<void> {
    const body = { group_memberships: members };
    await done(this.#service, 'addGroupMembers', { path: { id }, body });
  }

  async changeRoles(id: string, members: MembersToSet): Promise<void> {
    const body = { group_memberships: members };
    await done(this.#service, 'changeGroupRoles', { path: { id }, body });
  }

  async removeMembers(id: string, memberIds: string[]): Promise<void> {
    const body = { member_ids: memberIds };
    await done(this.#service, 'removeGroupMembers', { path: { id }, body });
  }

  listMembers(
    id: string,
    query: Requests['listGroupMembers']['query'] = {},
  ): Promise<GroupMemberships> {
    return call(this.#service, 'listGroupMembers', { path: { id }, query });
  }
}
