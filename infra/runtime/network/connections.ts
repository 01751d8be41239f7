import type { Logger } from '../process/logger.ts';
import type { ErrorCode } from '../../../schemas/http/errors.ts';
import { networkOf } from './client-address.ts';

export type ConnectionLimits = {
  /** Connections in all: fewer than the descriptors of the process. */
  max: number;
  /** The most of one network. A trusted proxy has those of many clients, and only the bound of all. */
  perNetworkMax: number;
};

/** Why a connection is not kept, and what its client is told. */
export type ConnectionRefusal = {
  code: Extract<ErrorCode, 'too_many' | 'unavailable'>;
  detail: string;
};

const ofNetwork: ConnectionRefusal = { code: 'too_many', detail: 'connections of this network' };
const ofAll: ConnectionRefusal = { code: 'unavailable', detail: 'there are too many connections' };

/** At most so often is it counted anew, and told in the log that connections are refused. */
const recountMsMin = 2_000;
const toldMsMin = 60_000;

/**
 * The connections that a process holds, and who may open one more.
 *
 * The edge's server does not tell whose connection has ended. There a network's count only grows, until the kernel is
 * asked with `recount`: soon after the network has half of what it may have, long before it would be refused.
 */
export class Connections {
  /** Connections that are open. */
  held = 0;
  readonly refused = { too_many: 0, unavailable: 0 };
  readonly limits: ConnectionLimits;
  /** Connections by network as they are now. Undefined: each end is told with its address. */
  recount: (() => Promise<ReadonlyMap<string, number>>) | undefined;

  readonly #isProxy: (address: string) => boolean;
  readonly #logger: Logger;
  #byNetwork = new Map<string, number>();
  /** Those opened while the kernel is asked: it may not have seen them. */
  #meanwhile: Map<string, number> | undefined;
  #recountedAt = -Infinity;
  #toldAt = -Infinity;

  constructor(limits: ConnectionLimits, isProxy: (address: string) => boolean, logger: Logger) {
    this.limits = limits;
    this.#isProxy = isProxy;
    this.#logger = logger;
  }

  /** A connection was opened. Returns why it must be closed again, if it must; until it is closed, it counts. */
  opened(address: string): ConnectionRefusal | undefined {
    this.held += 1;
    if (this.held > this.limits.max) return this.#refuse(ofAll, address);
    if (this.#isProxy(address)) return undefined;
    const network = networkOf(address);
    const count = (this.#byNetwork.get(network) ?? 0) + 1;
    if (count > this.limits.perNetworkMax / 2 || this.#byNetwork.size > 2 * this.held + 1_000) {
      void this.#recount();
    }
    if (count > this.limits.perNetworkMax) return this.#refuse(ofNetwork, address);
    this.#byNetwork.set(network, count);
    this.#meanwhile?.set(network, (this.#meanwhile.get(network) ?? 0) + 1);
    return undefined;
  }

  /** One was closed; without its address if that is not known, or if it was refused. */
  closed(address?: string): void {
    this.held -= 1;
    if (address === undefined || this.#isProxy(address)) return;
    const network = networkOf(address);
    const count = (this.#byNetwork.get(network) ?? 0) - 1;
    if (count > 0) this.#byNetwork.set(network, count);
    else this.#byNetwork.delete(network);
  }

  #refuse(refusal: ConnectionRefusal, address: string): ConnectionRefusal {
    this.refused[refusal.code] += 1;
    const now = performance.now();
    if (now - this.#toldAt >= toldMsMin) {
      this.#toldAt = now;
      const { held, limits } = this;
      this.#logger.warn(
        { address, held, limits, reason: refusal.detail },
        'connections are refused',
      );
    }
    return refusal;
  }

  async #recount(): Promise<void> {
    if (this.recount === undefined || this.#meanwhile !== undefined) return;
    if (performance.now() - this.#recountedAt < recountMsMin) return;
    const meanwhile = new Map<string, number>();
    this.#meanwhile = meanwhile;
    try {
      const counted = await this.recount();
      for (const [network, count] of this.#byNetwork) {
        const open = (counted.get(network) ?? 0) + (meanwhile.get(network) ?? 0);
        if (open === 0) this.#byNetwork.delete(network);
        else if (open < count) this.#byNetwork.set(network, open);
      }
    } catch (error) {
      // Without this knowledge no network may be refused.
      this.#byNetwork = new Map();
      this.#logger.warn({ error }, 'connections can not be counted by network');
    } finally {
      this.#meanwhile = undefined;
      this.#recountedAt = performance.now();
    }
  }
}
