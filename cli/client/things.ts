import type { Static } from 'typebox';
import type {
  NewThing,
  Thing,
  ThingChange,
  ThingMetadata,
  ThingMove,
  Things,
  ThingsQuery,
  ThingsSearch,
} from '../../schemas/thing.ts';
import { type ListQuery, read, type Service } from './service.ts';
import { having } from './shape.ts';
import type { Credential } from './transport.ts';
import { path } from './urls.ts';

/** Whose things: all that the caller may see, or those of one profile, group or org. */
export type ThingsOf = 'all' | { profile: string } | { group: string } | { org: string };

/** A key generated with the thing, or one that an external system knows it by. */
export type KeyType = 'internal' | 'external';

/** A thing by its key. */
export function thingCredential(type: KeyType, key: string): Credential {
  return { scheme: type === 'internal' ? 'Thing' : 'External', value: key };
}

const thingShape = having<Thing>('id', 'name', 'group_id', 'profile_id');
const pageShape = having<Static<typeof Things>>('total', 'things');

export class ThingsClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** All of them or none. */
  async create(profileId: string, things: NewThing[]): Promise<Thing[]> {
    const { transport, as } = this.#service;
    const url = this.#url('profiles', profileId, 'things');
    const ask = { method: 'POST', url, as, json: things } as const;
    const made = await transport.json(ask, having<{ things: Thing[] }>('things'));
    return made.things;
  }

  view(id: string): Promise<Thing> {
    return read(this.#service, this.#url('things', id), thingShape);
  }

  list(
    of: ThingsOf = 'all',
    query: ListQuery<typeof ThingsQuery> = {},
  ): Promise<Static<typeof Things>> {
    return read(this.#service, this.#place(of), pageShape, query);
  }

  search(of: ThingsOf, search: Static<typeof ThingsSearch>): Promise<Static<typeof Things>> {
    const { transport, as } = this.#service;
    const url = `${this.#place(of)}/search`;
    return transport.json({ method: 'POST', url, as, json: search, reads: true }, pageShape);
  }

  async update(id: string, change: ThingChange): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url('things', id), as, json: change });
  }

  /** Adds to the metadata of each. */
  async updateMetadata(changes: ThingMetadata[]): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PUT', url: this.#url('things'), as, json: changes });
  }

  /** To another profile, and with it to the profile's group. */
  async move(id: string, to: ThingMove): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'PATCH', url: this.#url('things', id), as, json: to });
  }

  async delete(id: string): Promise<void> {
    const { transport, as } = this.#service;
    await transport.done({ method: 'DELETE', url: this.#url('things', id), as });
  }

  async setExternalKey(id: string, key: string): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url('things', id, 'external-key');
    await transport.done({ method: 'PATCH', url, as, json: { key } });
  }

  async removeExternalKey(id: string): Promise<void> {
    const { transport, as } = this.#service;
    const url = this.#url('things', id, 'external-key');
    await transport.done({ method: 'DELETE', url, as });
  }

  /** The id of the thing that has this key. */
  identify(type: KeyType, key: string): Promise<{ id: string }> {
    const { transport } = this.#service;
    const url = this.#url('identify');
    const ask = { method: 'POST', url, json: { key, type }, reads: true } as const;
    return transport.json(ask, having<{ id: string }>('id'));
  }

  /** What a thing may know of itself. */
  metadata(type: KeyType, key: string): Promise<{ metadata: Record<string, unknown> }> {
    const { transport } = this.#service;
    const as = thingCredential(type, key);
    const ask = { method: 'GET', url: this.#url('metadata'), as, reads: true } as const;
    return transport.json(ask, having<{ metadata: Record<string, unknown> }>('metadata'));
  }

  #place(of: ThingsOf): string {
    if (of === 'all') return this.#url('things');
    if ('profile' in of) return this.#url('profiles', of.profile, 'things');
    if ('group' in of) return this.#url('groups', of.group, 'things');
    return this.#url('orgs', of.org, 'things');
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.things}${path(...parts)}`;
  }
}
