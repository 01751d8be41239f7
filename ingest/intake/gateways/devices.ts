import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Secret } from '../../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import type { RateLeft } from '../../../schemas/http/rate-limit.ts';
import { KnownThing } from '../../auth/known/known-things.ts';
import type { ThingKeys } from '../../auth/thing-keys.ts';
import { shown } from '../../../schemas/json/shown.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import { limits } from '../../limits.ts';
import { type Refusal, retrySecondsMin, tooMany, unavailable } from '../refusal.ts';
import { DeviceMaker } from './maker.ts';
import type { NamedDevice } from './named-device.ts';

/** Devices that are not in memory: once they were looked up, their message is read again. */
export type WantedDevices = {
  readonly kind: 'wanted';
  readonly devices: readonly NamedDevice[];
  /** The id of the gateway. */
  readonly gateway: string;
  /** Whether things may be made for them; or why not. */
  readonly making: 'never' | 'ifAbsent' | Refusal;
  /** Of the rate of the gateway, from which the message was taken. */
  readonly left: RateLeft | undefined;
};

/** The outcome of their look-up. */
export type FoundDevices = {
  readonly answers: ReadonlyMap<string, KnownThing | Refusal>;
  readonly left: RateLeft | undefined;
  readonly atMs: number;
  /** Whether the message that waited for it is still to come. */
  isAwaited: boolean;
};

const markOf = ({ credential: { kind, key } }: NamedDevice): string => `${kind} ${key}`;

/** The things that gateways speak for. */
export class Devices {
  /** Messages that were refused for their device, by why. */
  readonly refused = { absent: 0, often: 0, not_made: 0 };

  readonly #keys: ThingKeys;
  readonly #maker: DeviceMaker;
  // Filled again for each message.
  readonly #known = new KnownThing();

  constructor(keys: ThingKeys, maker: DeviceMaker) {
    this.#keys = keys;
    this.#maker = maker;
  }

  /** Things that were made for devices here. */
  get made(): number {
    return this.#maker.made;
  }

  /**
   * The thing of a device, if it is in memory or was `found` a moment ago, and of the gateway's group. It holds until the
   * next call.
   */
  recall(
    device: NamedDevice,
    gateway: KnownThing,
    found: FoundDevices | undefined,
  ): KnownThing | Refusal | undefined {
    const thing = this.#keys.recall(device.credential, this.#known)
      ? this.#known
      : this.#answerIn(found, device);
    if (thing?.kind !== 'known') return thing;
    return thing.group !== '' && thing.group === gateway.group ? thing : this.#absent(device);
  }

  #answerIn(found: FoundDevices | undefined, device: NamedDevice) {
    if (found === undefined || performance.now() - found.atMs > limits.foundDeviceMs) {
      return undefined;
    }
    return found.answers.get(markOf(device));
  }

  /** Looks devices up, and makes a thing for each that has none, if their gateway may. */
  async find(wanted: WantedDevices, requestId: string): Promise<FoundDevices> {
    const { devices, left } = wanted;
    const answers = await Promise.all(
      devices.map(async (device) => {
        const answer = await this.#find(device, wanted, requestId);
        return [markOf(device), answer] as const;
      }),
    );
    return { answers: new Map(answers), left, atMs: performance.now(), isAwaited: true };
  }

  async #find(
    device: NamedDevice,
    { gateway, making }: WantedDevices,
    requestId: string,
  ): Promise<KnownThing | Refusal> {
    let found = await this.#keys.findDevice(device.credential, gateway);
    if (found.kind === 'unknown' && making !== 'never') {
      const made =
        making === 'ifAbsent' ? await this.#maker.make(device, gateway, requestId) : making;
      if (made.kind === 'refused') {
        this.refused.not_made += 1;
        return made;
      }
      found = await this.#keys.findMade(device.credential);
      // A look-up that began before has answered.
      if (found.kind === 'unknown') return unavailable('the thing was made just now');
    }
    if (found.kind === 'known') return found;
    if (found.kind === 'unavailable') return unavailable('devices can not be looked up');
    return found.kind === 'spent' ? this.#often(gateway) : this.#absent(device);
  }

  /** Of a thing of another group no more is told than of one that is not there. */
  #absent({ name }: NamedDevice): Refusal {
    this.refused.absent += 1;
    const detail = `a gateway speaks for things of its group, and none is ${shown(name)}`;
    return { kind: 'refused', code: 'forbidden', detail };
  }

  #often(gateway: string): Refusal {
    this.refused.often += 1;
    const seconds = Math.max(this.#keys.deviceSpentSeconds(gateway), retrySecondsMin);
    return tooMany('devices of this gateway that are not there', seconds);
  }
}

export function createDevices(
  { secretKey }: { secretKey: Secret },
  keys: ThingKeys,
  pool: Pool,
  logger: Logger,
): Devices {
  const vault = createKeyVault(secretKey);
  return new Devices(keys, new DeviceMaker({ pool, vault, limits, logger }));
}

export const idOfThing = ({ publisher }: KnownThing): string =>
  uuidFromRowBinary(Buffer.from(publisher), 0);
