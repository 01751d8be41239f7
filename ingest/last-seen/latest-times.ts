import { gatewayAt, heardBytes, idBytes } from '../auth/known/heard-things.ts';

const itself = '\0'.repeat(idBytes);

/** It stands for a gateway, or for none, where that is not known: what is noted of the thing stays. */
export const unknownGateway = '\xff'.repeat(idBytes);

/**
 * The latest time (ms) of each thing, and the gateway by which it was heard then, by the bytes of ids as text: as UUIDs, a
 * hundred thousand took 40 MiB more.
 */
export class LatestTimes {
  readonly #times = new Map<string, number>();
  /** Of those that were heard by one. */
  readonly #gateways = new Map<string, string>();
  /** Each gateway's text is kept once. */
  readonly #known = new Map<string, string>([
    [itself, itself],
    [unknownGateway, unknownGateway],
  ]);

  get isEmpty(): boolean {
    return this.#times.size === 0;
  }

  note(id: string, atMs: number, gateway = itself): void {
    const known = this.#times.get(id);
    if (known !== undefined && known >= atMs) return;
    this.#times.set(id, atMs);
    if (gateway === itself) this.#gateways.delete(id);
    else this.#gateways.set(id, this.#once(gateway));
  }

  #once(gateway: string): string {
    const known = this.#known.get(gateway);
    if (known !== undefined) return known;
    this.#known.set(gateway, gateway);
    return gateway;
  }

  /** Notes things that were heard, `heardBytes` for each. */
  noteAll(things: Uint8Array): void {
    const bytes = Buffer.from(things.buffer, things.byteOffset, things.length);
    for (let at = 0; at < bytes.length; at += heardBytes) {
      const gateway = bytes.toString('latin1', at + gatewayAt, at + heardBytes);
      this.note(
        bytes.toString('latin1', at, at + idBytes),
        bytes.readDoubleLE(at + idBytes),
        gateway,
      );
    }
  }

  /** All of them, `heardBytes` for each. */
  all(): Uint8Array {
    const all = Buffer.allocUnsafe(this.#times.size * heardBytes);
    let end = 0;
    for (const [id, atMs] of this.#times) {
      end += all.write(id, end, 'latin1');
      end = all.writeDoubleLE(atMs, end);
      end += all.write(this.#gateways.get(id) ?? itself, end, 'latin1');
    }
    return all;
  }
}
