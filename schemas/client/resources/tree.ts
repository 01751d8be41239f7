import type {
  NewTreeGroup,
  Requests,
  TreeGroup,
  TreeGroupChange,
  TreeGroups,
  TreeMembers,
  TreeThings,
  TreeUsers,
} from '../generated/types.ts';
import { call, created, done, type Service } from '../service.ts';

export type MemberType = Requests['addTreeMembers']['body']['type'];

/** The older grouping: a tree of groups, whose members are things, users, or ids of another system. */
export class TreeClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The new group's id. */
  create(group: NewTreeGroup): Promise<string> {
    return created(this.#service, 'createTreeGroup', { body: group });
  }

  view(id: string): Promise<TreeGroup> {
    return call(this.#service, 'viewTreeGroup', { path: { id } });
  }

  /** Itself and what is over it. */
  parents(id: string, query: Requests['listTreeParents']['query'] = {}): Promise<TreeGroups> {
    return call(this.#service, 'listTreeParents', { path: { id }, query });
  }

  /** Itself and what is under it. */
  children(id: string, query: Requests['listTreeChildren']['query'] = {}): Promise<TreeGroups> {
    return call(this.#service, 'listTreeChildren', { path: { id }, query });
  }

  ofMember(
    memberId: string,
    query: Requests['listTreeGroupsOfMember']['query'] = {},
  ): Promise<TreeGroups> {
    return call(this.#service, 'listTreeGroupsOfMember', { path: { id: memberId }, query });
  }

  async update(id: string, change: TreeGroupChange): Promise<void> {
    await done(this.#service, 'updateTreeGroup', { path: { id }, body: change });
  }

  /** With all under it; not while there are members. */
  async delete(id: string): Promise<void> {
    await done(this.#service, 'deleteTreeGroup', { path: { id } });
  }

  async addMembers(id: string, type: MemberType, members: string[]): Promise<void> {
    await done(this.#service, 'addTreeMembers', { path: { id }, body: { members, type } });
  }

  async removeMembers(id: string, members: string[]): Promise<void> {
    await done(this.#service, 'removeTreeMembers', { path: { id }, body: { members } });
  }

  members(id: string, query: Requests['listTreeMembers']['query'] = {}): Promise<TreeMembers> {
    return call(this.#service, 'listTreeMembers', { path: { id }, query });
  }

  users(id: string, query: Requests['listTreeUsers']['query'] = {}): Promise<TreeUsers> {
    return call(this.#service, 'listTreeUsers', { path: { id }, query });
  }

  things(id: string, query: Requests['listTreeThings']['query'] = {}): Promise<TreeThings> {
    return call(this.#service, 'listTreeThings', { path: { id }, query });
  }
}
