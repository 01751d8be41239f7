import type {
  Answers,
  NewThing,
  Requests,
  Thing,
  ThingChange,
  ThingMetadata,
  ThingMove,
  Things,
} from '../generated/types.ts';
import { call, done, type Service } from '../service.ts';
import type { Credential } from '../transport.ts';

/** Whose things: all that the caller may see, or those of one profile, group or org. */
export type ThingsOf = 'all' | { profile: string } | { group: string } | { org: string };

/** A key generated with the thing, or one that an external system knows it by. */
export type KeyType = 'internal' | 'external';

/** A thing by its key. */
export function thingCredential(type: KeyType, key: string): Credential {
  return { scheme: type === 'internal' ? 'Thing' : 'External', value: key };
}

export class ThingsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Creates all of them or none. */
  async create(profileId: string, things: NewThing[]): Promise<Thing[]> {
    const request = { path: { id: profileId }, body: things };
    const made = await call(this.#service, 'createThings', request);
    return made.things;
  }

  view(id: string): Promise<Thing> {
    return call(this.#service, 'viewThing', { path: { id } });
  }

  list(of: ThingsOf = 'all', query: Requests['listThings']['query'] = {}): Promise<Things> {
    if (of === 'all') return call(this.#service, 'listThings', { query });
    if ('profile' in of) {
      return call(this.#service, 'listProfileThings', { path: { id: of.profile }, query });
    }
    return 'group' in of
      ? call(this.#service, 'listGroupThings', { path: { id: of.group }, query })
      : call(this.#service, 'listOrgThings', { path: { id: of.org }, query });
  }

  search(of: ThingsOf, body: Requests['searchThings']['body'] = {}): Promise<Things> {
    const reads = { reads: true };
    if (of === 'all') return call(this.#service, 'searchThings', { body }, reads);
    if ('profile' in of) {
      return call(this.#service, 'searchProfileThings', { path: { id: of.profile }, body }, reads);
    }
    return 'group' in of
      ? call(this.#service, 'searchGroupThings', { path: { id: of.group }, body }, reads)
      : call(this.#service, 'searchOrgThings', { path: { id: of.org }, body }, reads);
  }

  async update(id: string, change: ThingChange): Promise<void> {
    await done(this.#service, 'updateThing', { path: { id }, body: change });
  }

  /** Adds to the metadata of each. */
  async updateMetadata(changes: ThingMetadata[]): Promise<void> {
    await done(this.#service, 'updateThingsMetadata', { body: changes });
  }

  /** To another profile, and with it to the profile's group. */
  async move(id: string, to: ThingMove): Promise<void> {
    await done(this.#service, 'moveThing', { path: { id }, body: to });
  }

  async delete(id: string): Promise<void> {
    await done(this.#service, 'deleteThing', { path: { id } });
  }

  /** Several at once: all of them or none. */
  async deleteAll(ids: string[]): Promise<void> {
    await done(this.#service, 'deleteThings', { body: { thing_ids: ids } });
  }

  async setExternalKey(id: string, key: string): Promise<void> {
    await done(this.#service, 'setExternalKey', { path: { id }, body: { key } });
  }

  async removeExternalKey(id: string): Promise<void> {
    await done(this.#service, 'removeExternalKey', { path: { id } });
  }

  /** The id of the thing that has this key. */
  identify(type: KeyType, key: string): Promise<Answers['identifyThing']> {
    const body = { key, type };
    return call(this.#service, 'identifyThing', { body }, { as: undefined, reads: true });
  }

  /** What a thing may know of itself. */
  metadata(type: KeyType, key: string): Promise<Answers['viewOwnMetadata']> {
    return call(this.#service, 'viewOwnMetadata', {}, { as: thingCredential(type, key) });
  }
}
