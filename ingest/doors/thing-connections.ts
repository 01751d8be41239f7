import { type Refusal, tooMany, unavailable } from '../intake/refusal.ts';
import { limits } from '../limits.ts';

const { connectionRetrySeconds } = limits;

/** By which doors a thing has connections that stay open. */
type LastingDoor = 'mqtt' | 'ws';

export type ThingConnectionLimits = {
  max: number;
  perOrgMax: number;
  /** A trusted proxy's own address is no network. */
  perNetworkMax: number;
  /** Of each door. */
  perThingMax: Readonly<Record<LastingDoor, number>>;
};

/** Whose a connection is that stays open. */
export type ConnectionOwner = {
  door: LastingDoor;
  thing: string;
  org: string;
  network: string | undefined;
};

const words: Readonly<Record<LastingDoor, string>> = { mqtt: 'MQTT connections', ws: 'streams' };

/**
 * Counts the connections that things keep open, streams and those of MQTT: in all, of each org, network and thing. So
 * they leave room for requests.
 */
export class ThingConnections {
  readonly #bounds: ThingConnectionLimits;
  #all = 0;
  readonly #orgs = new Map<string, number>();
  readonly #networks = new Map<string, number>();
  readonly #things: Readonly<Record<LastingDoor, Map<string, number>>> = {
    mqtt: new Map(),
    ws: new Map(),
  };

  constructor(bounds: ThingConnectionLimits) {
    this.#bounds = bounds;
  }

  /** Why this one may not open another; undefined if it may. */
  refusal({ door, thing, org, network }: ConnectionOwner): Refusal | undefined {
    const { max, perOrgMax, perNetworkMax, perThingMax } = this.#bounds;
    const tooManyOf = (whose: string) =>
      tooMany(`${words[door]} of this ${whose}`, connectionRetrySeconds);
    if ((this.#things[door].get(thing) ?? 0) >= perThingMax[door]) return tooManyOf('thing');
    if ((this.#orgs.get(org) ?? 0) >= perOrgMax) return tooManyOf('org');
    if (network !== undefined && (this.#networks.get(network) ?? 0) >= perNetworkMax) {
      return tooManyOf('network');
    }
    if (this.#all < max) return undefined;
    const refusal = unavailable(`there are too many ${words[door]}`);
    return { ...refusal, retrySeconds: connectionRetrySeconds };
  }

  opened(owner: ConnectionOwner): void {
    this.#count(owner, 1);
  }

  closed(owner: ConnectionOwner): void {
    this.#count(owner, -1);
  }

  #count({ door, thing, org, network }: ConnectionOwner, by: 1 | -1): void {
    this.#all += by;
    add(this.#things[door], thing, by);
    add(this.#orgs, org, by);
    if (network !== undefined) add(this.#networks, network, by);
  }
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
