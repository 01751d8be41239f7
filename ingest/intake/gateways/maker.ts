import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DatabaseError } from 'pg';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { KeyKind, KeyVault } from '../../../infra/runtime/process/secrets.ts';
import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { malformed } from '../../codecs/rejected.ts';
import { shown } from '../../../schemas/json/shown.ts';
import { type Refusal, unavailable } from '../refusal.ts';
import type { NamedDevice } from './named-device.ts';
import { makeDevice } from './sql.ts';

/** Over a quota (infra/migrations/postgres/0011_quotas.sql). */
const overQuota = 'MQ001';

type MakerLimits = {
  devicesMadeAtOnce: number;
  /** Those that wait for their turn. */
  devicesToMakeMax: number;
  devicesRefusedMax: number;
  deviceRefusedMs: number;
};

const away = unavailable('things can not be made');
const busy = unavailable('too many things are being made');

/** `there`: the device has a thing now, whoever made it. */
type MakeAnswer = { readonly kind: 'there' } | Refusal;
const there: MakeAnswer = { kind: 'there' };

const refusedAs = (code: Refusal['code'], detail: string): Refusal => ({
  kind: 'refused',
  code,
  detail,
});

/** Makes things for devices that gateways name and that are not there. A message waits for it, so it has few connections. */
export class DeviceMaker {
  /** Things that were made here. */
  made = 0;

  readonly #pool: Pool;
  readonly #vault: KeyVault;
  readonly #limits: MakerLimits;
  readonly #logger: Logger;
  /** By the external key. */
  readonly #underWay = new Map<string, Promise<MakeAnswer>>();
  /** By the gateway and the external key: of devices that it names again and again. */
  readonly #refused: LRUCache<string, Refusal>;
  #turns = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: { pool: Pool; vault: KeyVault; limits: MakerLimits; logger: Logger }) {
    this.#pool = options.pool;
    this.#vault = options.vault;
    this.#limits = options.limits;
    this.#logger = options.logger;
    const { devicesRefusedMax: max, deviceRefusedMs: ttl } = options.limits;
    this.#refused = new LRUCache({ max, ttl });
  }

  /** Makes a thing for a device of this gateway (its id), unless there is one. */
  async make(device: NamedDevice, gateway: string, requestId: string): Promise<MakeAnswer> {
    const { key } = device.credential;
    const mark = `${gateway} ${key}`;
    const known = this.#refused.get(mark) ?? this.#underWay.get(mark);
    if (known !== undefined) return known;
    const making = this.#make(device, gateway, requestId);
    this.#underWay.set(mark, making);
    const answer = await making;
    this.#underWay.delete(mark);
    if (answer.kind === 'refused' && answer.retrySeconds === undefined) {
      this.#refused.set(mark, answer);
    }
    return answer;
  }

  async #make(
    { name, credential }: NamedDevice,
    gateway: string,
    requestId: string,
  ): Promise<MakeAnswer> {
    if (!name.isWellFormed() || /\p{Cc}/u.test(name)) {
      return malformed(`device ${shown(name)}: must be text without control characters`);
    }
    if (this.#waiting.length >= this.#limits.devicesToMakeMax) return busy;
    await this.#turn();
    try {
      const key = this.#stored('internal', randomUUID());
      const externalKey = this.#stored('external', credential.key);
      const made = await makeDevice(this.#pool, { gateway, name, key, externalKey, requestId });
      if (made === 'made') this.made += 1;
      if (made === 'made' || made === 'there') return there;
      return made === 'named'
        ? refusedAs('conflict', `name: a thing of the group is called ${shown(name)} already`)
        : refusedAs('forbidden', 'the gateway may make no things');
    } catch (error) {
      if (error instanceof DatabaseError && error.code === overQuota) {
        return refusedAs('forbidden', 'the org may have no more things: its quota');
      }
      this.#logger.debug({ error }, 'a thing could not be made for a device');
      return away;
    } finally {
      this.#endTurn();
    }
  }

  #stored(kind: KeyKind, key: string) {
    return { lookup: this.#vault.lookup(kind, key), sealed: this.#vault.seal(key) };
  }

  async #turn(): Promise<void> {
    if (this.#turns < this.#limits.devicesMadeAtOnce) this.#turns += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#turns -= 1;
    else next();
  }
}
