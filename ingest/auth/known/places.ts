import { type OrgMeter, OrgMeters } from '../../rates/org-meters.ts';

/**
 * A profile, group or org that remembered keys depend on, and the place that it is in. Once it is changed, all that
 * depends on it counts as forgotten: for a million things of an org this takes no longer than for one.
 */
export type Place = {
  readonly id: string;
  readonly within: Place | undefined;
  /** Its id and that of the place that it is in, as the sink of alarms has them; empty for what is in none. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the org that it is, or is in. */
  readonly meter: OrgMeter;
  users: number;
  changed: boolean;
};

/** The bytes of a place. */
const placeBytes = 350;

/** The places that remembered keys depend on, by their ids. One that was changed is no longer found. */
export class Places {
  readonly #byId = new Map<string, Place>();
  readonly #meters: OrgMeters;
  #bytes = 0;

  constructor(meters = new OrgMeters()) {
    this.#meters = meters;
  }

  /** The bytes that all of them take, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One more remembered key depends on these places; the innermost comes first. */
  enter(ids: readonly string[]): Place | undefined {
    const [id, ...outer] = ids;
    if (id === undefined) return undefined;
    const known = this.#byId.get(id);
    if (known !== undefined && !hasChanged(known)) {
      known.users += 1;
      return known;
    }
    const within = this.enter(outer);
    const meter = within?.meter ?? this.#meters.of(id);
    const bytes = Uint8Array.from(Buffer.from(within === undefined ? '' : within.id + id, 'hex'));
    const place = { id, within, bytes, meter, users: 1, changed: false };
    this.#bytes += placeBytes;
    this.#byId.set(id, place);
    return place;
  }

  exit(place: Place | undefined): void {
    if (place === undefined) return;
    place.users -= 1;
    if (place.users > 0) return;
    this.#bytes -= placeBytes;
    if (this.#byId.get(place.id) === place) this.#byId.delete(place.id);
    this.exit(place.within);
  }

  change(id: string): void {
    const place = this.#byId.get(id);
    if (place === undefined) return;
    place.changed = true;
    this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
    this.#bytes = 0;
  }
}

/** Whether it or one that it is in was changed. */
export function hasChanged(place: Place | undefined): boolean {
  for (let at = place; at !== undefined; at = at.within) if (at.changed) return true;
  return false;
}
