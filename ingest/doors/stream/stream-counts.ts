import { type Refusal, tooMany, unavailable } from '../../intake/refusal.ts';
import { limits } from '../../limits.ts';

const { connectionRetrySeconds } = limits;

export type StreamLimits = {
  max: number;
  perOrgMax: number;
  /** A trusted proxy's own address is no network. */
  perNetworkMax: number;
  perThingMax: number;
};

/** Whose a stream is. */
export type StreamOwner = { thing: string; org: string; network: string | undefined };

const tooManyOf = (whose: string): Refusal =>
  tooMany(`streams of this ${whose}`, connectionRetrySeconds);
const ofAll: Refusal = {
  ...unavailable('there are too many streams'),
  retrySeconds: connectionRetrySeconds,
};

/** Counts the streams that are open: in all, of each org, network and thing. */
export class StreamCounts {
  readonly #bounds: StreamLimits;
  #all = 0;
  readonly #orgs = new Map<string, number>();
  readonly #networks = new Map<string, number>();
  readonly #things = new Map<string, number>();

  constructor(bounds: StreamLimits) {
    this.#bounds = bounds;
  }

  /** Why this one may not open another; undefined if it may. */
  refusal({ thing, org, network }: StreamOwner): Refusal | undefined {
    const { max, perOrgMax, perNetworkMax, perThingMax } = this.#bounds;
    if ((this.#things.get(thing) ?? 0) >= perThingMax) return tooManyOf('thing');
    if ((this.#orgs.get(org) ?? 0) >= perOrgMax) return tooManyOf('org');
    if (network !== undefined && (this.#networks.get(network) ?? 0) >= perNetworkMax) {
      return tooManyOf('network');
    }
    return this.#all >= max ? ofAll : undefined;
  }

  opened(owner: StreamOwner): void {
    this.#count(owner, 1);
  }

  closed(owner: StreamOwner): void {
    this.#count(owner, -1);
  }

  #count({ thing, org, network }: StreamOwner, by: 1 | -1): void {
    this.#all += by;
    add(this.#things, thing, by);
    add(this.#orgs, org, by);
    if (network !== undefined) add(this.#networks, network, by);
  }
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
