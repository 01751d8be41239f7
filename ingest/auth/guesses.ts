import { crc32 } from 'node:zlib';

type GuessLimits = {
  /** Unknown credentials from one network before nothing more is looked up for it. */
  perMinuteMax: number;
  /** Networks that are counted; beyond them the one counted first is forgotten. */
  networksMax: number;
};

/** The look-ups for a network in its minute. */
type Usage = {
  unknown: number;
  pending: number;
  /** When its minute ends, on the clock that nobody sets; undefined before its first unknown credential. */
  untilMs: number | undefined;
  waiting: ((isAdmitted: boolean) => void)[];
};

const minuteMs = 60_000;

/** The mark of a network, remembered beside each credential that is known from it. */
export const networkMark = (network: string): number => crc32(network);

/**
 * Bounds guessing: a network may have only so many wrong credentials looked up in a minute. A look-up counts until its
 * answer is there, and others wait for it, so that all devices of a large site are looked up, and a guesser gets no
 * more than its share. Once that is spent, nothing is looked up for this network until the minute has passed.
 * Credentials that are known from it already still pass.
 *
 * The same bounds a gateway, under its id: there a guess is a device that is not there.
 */
export class Guesses {
  readonly #limits: GuessLimits;
  readonly #networks = new Map<string, Usage>();
  readonly #spent = new Map<string, number>();

  constructor(limits: GuessLimits) {
    this.#limits = limits;
  }

  /** Whether any network has spent its guesses. Usually none has, and a caller need not look for its own. */
  get anySpent(): boolean {
    return this.#spent.size > 0;
  }

  /** Seconds until this network may have credentials looked up again; 0: it may now. */
  spentSeconds(network: string): number {
    const untilMs = this.#spent.get(network);
    if (untilMs === undefined) return 0;
    const seconds = Math.ceil((untilMs - performance.now()) / 1_000);
    if (seconds > 0) return seconds;
    this.#forget(network);
    return 0;
  }

  /** Waits for the turn of one look-up, which `done` ends. False: the guesses are spent. */
  async turn(network: string): Promise<boolean> {
    if (this.spentSeconds(network) > 0) return false;
    const usage = this.#usageOf(network);
    if (usage.unknown + usage.pending < this.#limits.perMinuteMax) {
      usage.pending += 1;
      return true;
    }
    return new Promise((resolve) => usage.waiting.push(resolve));
  }

  done(network: string, wasUnknown: boolean): void {
    const usage = this.#networks.get(network);
    if (usage === undefined) return;
    usage.pending -= 1;
    if (wasUnknown) {
      usage.untilMs ??= performance.now() + minuteMs;
      usage.unknown += 1;
    }
    if (usage.unknown >= this.#limits.perMinuteMax) {
      this.#spent.set(network, usage.untilMs ?? 0);
      usage.waiting.splice(0).forEach((admit) => admit(false));
      return;
    }
    while (usage.unknown + usage.pending < this.#limits.perMinuteMax) {
      const admit = usage.waiting.shift();
      if (admit === undefined) break;
      usage.pending += 1;
      admit(true);
    }
    if (usage.pending === 0 && usage.unknown === 0) this.#networks.delete(network);
  }

  #usageOf(network: string): Usage {
    const known = this.#networks.get(network);
    if (known !== undefined && (known.untilMs ?? Infinity) > performance.now()) return known;
    if (known !== undefined) {
      known.unknown = 0;
      known.untilMs = undefined;
      return known;
    }
    if (this.#networks.size >= this.#limits.networksMax) this.#forgetOne();
    const fresh = { unknown: 0, pending: 0, untilMs: undefined, waiting: [] };
    this.#networks.set(network, fresh);
    return fresh;
  }

  /** Networks with look-ups under way are kept: their number is bounded. */
  #forgetOne(): void {
    for (const [network, { pending }] of this.#networks) {
      if (pending > 0) continue;
      this.#forget(network);
      return;
    }
  }

  #forget(network: string): void {
    this.#spent.delete(network);
    this.#networks.delete(network);
  }
}
