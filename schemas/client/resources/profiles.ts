import type { NewProfile, Profile, ProfileChange, Profiles, Requests } from '../generated/types.ts';
import { call, done, type Service } from '../service.ts';

/** Whose profiles: all that the caller may see, or those of one group or org. */
export type ProfilesOf = 'all' | { group: string } | { org: string };

export class ProfilesClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Creates all of them or none. */
  async create(groupId: string, profiles: NewProfile[]): Promise<Profile[]> {
    const request = { path: { id: groupId }, body: profiles };
    const made = await call(this.#service, 'createProfiles', request);
    return made.profiles;
  }

  view(id: string): Promise<Profile> {
    return call(this.#service, 'viewProfile', { path: { id } });
  }

  ofThing(thingId: string): Promise<Profile> {
    return call(this.#service, 'viewThingProfile', { path: { id: thingId } });
  }

  list(of: ProfilesOf = 'all', query: Requests['listProfiles']['query'] = {}): Promise<Profiles> {
    if (of === 'all') return call(this.#service, 'listProfiles', { query });
    return 'group' in of
      ? call(this.#service, 'listGroupProfiles', { path: { id: of.group }, query })
      : call(this.#service, 'listOrgProfiles', { path: { id: of.org }, query });
  }

  search(of: ProfilesOf, body: Requests['searchProfiles']['body'] = {}): Promise<Profiles> {
    const reads = { reads: true };
    if (of === 'all') return call(this.#service, 'searchProfiles', { body }, reads);
    return 'group' in of
      ? call(this.#service, 'searchGroupProfiles', { path: { id: of.group }, body }, reads)
      : call(this.#service, 'searchOrgProfiles', { path: { id: of.org }, body }, reads);
  }

  async update(id: string, change: ProfileChange): Promise<void> {
    await done(this.#service, 'updateProfile', { path: { id }, body: change });
  }

  /** Not while a thing has it. */
  async delete(id: string): Promise<void> {
    await done(this.#service, 'deleteProfile', { path: { id } });
  }

  /** Several at once: all of them or none. */
  async deleteAll(ids: string[]): Promise<void> {
    await done(this.#service, 'deleteProfiles', { body: { profile_ids: ids } });
  }
}
