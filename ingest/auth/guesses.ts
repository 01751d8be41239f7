import { crc32 } from 'node:zlib';

export type GuessLimits = {
  /** Unknown credentials from one network before nothing more is looked up for it. */
  perMinuteMax: number;
  /** Networks that are counted; beyond them the one counted first is forgotten. */
  networksMax: number;
};

/** What a network has asked for in its minute. */
type Asked = {
  unknown: number;
  asking: number;
  /** When its minute ends (ms); undefined before its first unknown credential. */
  untilMs: number | undefined;
  waiting: ((mayAsk: boolean) => void)[];
};

const minuteMs = 60_000;

/** By what a network is remembered beside each credential that is known from it. */
export const networkMark = (network: string): number => crc32(network);

/**
 * Bounds guessing: a network gets so many wrong credentials looked up in a minute. What is being looked up
 * counts until its answer is there, and what goes beyond waits for that, so that a site of many devices
 * gets all of them looked up and a guesser no more than its share. Once that is spent, nobody is asked for
 * this network until the minute is over; what is known from it already goes on.
 */
export class Guesses {
  readonly #limits: GuessLimits;
  readonly #networks = new Map<string, Asked>();
  readonly #spent = new Map<string, number>();

  constructor(limits: GuessLimits) {
    this.#limits = limits;
  }

  /** Whether any network has spent its guesses: usually none has, and nobody need ask which. */
  get anySpent(): boolean {
    return this.#spent.size > 0;
  }

  /** Seconds until this network may have credentials looked up again; 0: it may now. */
  spentSeconds(network: string): number {
    const untilMs = this.#spent.get(network);
    if (untilMs === undefined) return 0;
    const seconds = Math.ceil((untilMs - Date.now()) / 1_000);
    if (seconds > 0) return seconds;
    this.#forget(network);
    return 0;
  }

  /** Waits for the turn of one look-up, which `settle` ends. False: the guesses are spent. */
  async turn(network: string): Promise<boolean> {
    if (this.spentSeconds(network) > 0) return false;
    const asked = this.#askedBy(network);
    if (asked.unknown + asked.asking < this.#limits.perMinuteMax) {
      asked.asking += 1;
      return true;
    }
    return new Promise((resolve) => asked.waiting.push(resolve));
  }

  settle(network: string, wasUnknown: boolean): void {
    const asked = this.#networks.get(network);
    if (asked === undefined) return;
    asked.asking -= 1;
    if (wasUnknown) {
      asked.untilMs ??= Date.now() + minuteMs;
      asked.unknown += 1;
    }
    if (asked.unknown >= this.#limits.perMinuteMax) {
      this.#spent.set(network, asked.untilMs ?? 0);
      asked.waiting.splice(0).forEach((admit) => admit(false));
      return;
    }
    while (asked.unknown + asked.asking < this.#limits.perMinuteMax) {
      const admit = asked.waiting.shift();
      if (admit === undefined) break;
      asked.asking += 1;
      admit(true);
    }
    if (asked.asking === 0 && asked.unknown === 0) this.#networks.delete(network);
  }

  #askedBy(network: string): Asked {
    const known = this.#networks.get(network);
    if (known !== undefined && (known.untilMs ?? Infinity) > Date.now()) return known;
    if (known !== undefined) {
      known.unknown = 0;
      known.untilMs = undefined;
      return known;
    }
    if (this.#networks.size >= this.#limits.networksMax) this.#forgetOne();
    const fresh = { unknown: 0, asking: 0, untilMs: undefined, waiting: [] };
    this.#networks.set(network, fresh);
    return fresh;
  }

  /** Those that wait for an answer are kept: their number is bounded by who waits. */
  #forgetOne(): void {
    for (const [network, { asking }] of this.#networks) {
      if (asking > 0) continue;
      this.#forget(network);
      return;
    }
  }

  #forget(network: string): void {
    this.#spent.delete(network);
    this.#networks.delete(network);
  }
}
