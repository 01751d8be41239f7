import type { Static } from 'typebox';
import type {
  NewProfile,
  Profile,
  ProfileChange,
  Profiles,
  ProfilesQuery,
  ProfilesSearch,
} from '../../schemas/profile.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import { path } from './urls.ts';

/** Whose profiles: all that the caller may see, or those of one group or org. */
export type ProfilesOf = 'all' | { group: string } | { org: string };

const profileShape = having<Profile>('id', 'name', 'group_id');
const pageShape = having<Static<typeof Profiles>>('total', 'profiles');

export class ProfilesClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** All of them or none. */
  async create(groupId: string, profiles: NewProfile[]): Promise<Profile[]> {
    const { transport, as } = this.#service;
    const url = this.#url('groups', groupId, 'profiles');
    const ask = { method: 'POST', url, as, json: profiles } as const;
    const made = await transport.json(ask, having<{ profiles: Profile[] }>('profiles'));
    return made.profiles;
  }

  view(id: string): Promise<Profile> {
    return read(this.#service, this.#url('profiles', id), profileShape);
  }

  ofThing(thingId: string): Promise<Profile> {
    return read(this.#service, this.#url('things', thingId, 'profiles'), profileShape);
  }

  list(
    of: ProfilesOf = 'all',
    query: ListQuery<typeof ProfilesQuery> = {},
  ): Promise<Static<typeof Profiles>> {
    return read(this.#service, this.#place(of), pageShape, query);
  }

  search(of: ProfilesOf, search: Static<typeof ProfilesSearch>): Promise<Static<typeof Profiles>> {
    const { transport, as } = this.#service;
    const url = `${this.#place(of)}/search`;
    return transport.json({ method: 'POST', url, as, json: search, reads: true }, pageShape);
  }

  async update(id: string, change: ProfileChange): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url('profiles', id), as, json: change });
  }

  /** Not while a thing has it. */
  async delete(id: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'DELETE', url: this.#url('profiles', id), as });
  }

  #place(of: ProfilesOf): string {
    if (of === 'all') return this.#url('profiles');
    if ('group' in of) return this.#url('groups', of.group, 'profiles');
    return this.#url('orgs', of.org, 'profiles');
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.things}${path(...parts)}`;
  }
}
