import type { Static } from 'typebox';
import type {
  HierarchyQuery,
  MemberType,
  NewTreeGroup,
  TreeGroup,
  TreeGroupChange,
  TreeGroups,
  TreeGroupsQuery,
  TreeMembers,
  TreeMembersOfTypeQuery,
  TreeMembersQuery,
  TreeThings,
  TreeUsers,
} from '../../schemas/tree.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

const groupShape = having<TreeGroup>('id', 'name', 'level');
const pageShape = having<Static<typeof TreeGroups>>('total', 'groups');

/** The older grouping: a tree of groups, whose members are things, users, or ids of another system. */
export class TreeClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The new group's id. */
  create(group: NewTreeGroup): Promise<string> {
    const { transport, as } = this.#service;
    return transport.created({ method: 'POST', url: this.#url(), as, json: group });
  }

  view(id: string): Promise<TreeGroup> {
    return read(this.#service, this.#url(id), groupShape);
  }

  /** Itself and what is over it. */
  parents(id: string, query: HierarchyQuery = {}): Promise<Static<typeof TreeGroups>> {
    return read(this.#service, this.#url(id, 'parents'), pageShape, query);
  }

  /** Itself and what is under it. */
  children(id: string, query: HierarchyQuery = {}): Promise<Static<typeof TreeGroups>> {
    return read(this.#service, this.#url(id, 'children'), pageShape, query);
  }

  ofMember(
    memberId: string,
    query: ListQuery<typeof TreeGroupsQuery> = {},
  ): Promise<Static<typeof TreeGroups>> {
    const url = `${this.#service.urls.auth}${path('members', memberId, 'groups')}`;
    return read(this.#service, url, pageShape, query);
  }

  async update(id: string, change: TreeGroupChange): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url(id), as, json: change });
  }

  /** With all under it; not while there are members. */
  async delete(id: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'DELETE', url: this.#url(id), as });
  }

  async addMembers(id: string, type: MemberType, members: string[]): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url(id, 'members');
    await transport.done({ method: 'POST', url, as, json: { members, type } });
  }

  async removeMembers(id: string, members: string[]): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url(id, 'members');
    await transport.done({ method: 'DELETE', url, as, json: { members } });
  }

  members(
    id: string,
    query: Static<typeof TreeMembersQuery> = {},
  ): Promise<Static<typeof TreeMembers>> {
    const shape = having<Static<typeof TreeMembers>>('total', 'Members');
    return read(this.#service, this.#url(id, 'members'), shape, query);
  }

  users(
    id: string,
    query: Static<typeof TreeMembersOfTypeQuery> = {},
  ): Promise<Static<typeof TreeUsers>> {
    const shape = having<Static<typeof TreeUsers>>('total', 'users');
    return read(this.#service, this.#url('users', id), shape, query);
  }

  things(
    id: string,
    query: Static<typeof TreeMembersOfTypeQuery> = {},
  ): Promise<Static<typeof TreeThings>> {
    const shape = having<Static<typeof TreeThings>>('total', 'things');
    return read(this.#service, this.#url('things', id), shape, query);
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.auth}/groups${path(...parts)}`;
  }
}
