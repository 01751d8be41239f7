import type { RateLeft, RateLimit } from '../../schemas/http/rate-limit.ts';

/** Undefined if there is no limit (0). */
export const createThingRates = (perSecond: number, thingsMax: number): ThingRates | undefined =>
  perSecond === 0 ? undefined : new ThingRates(perSecond, thingsMax);

/** Times closer than this are equal by the clock. */
const clockMs = 1;

/** How many messages each thing may send, whatever it authenticates with: `perSecond`, and as many at once. */
export class ThingRates {
  readonly rate: RateLimit;
  readonly #perSecond: number;
  readonly #thingsMax: number;
  /** By id: when its allowance of messages will be whole again (ms). A thing that is not here has all of it. */
  readonly #wholeAgain = new Map<string, number>();

  constructor(perSecond: number, thingsMax: number) {
    this.rate = {
      name: 'messages of a thing',
      quota: Math.max(1, Math.floor(perSecond)),
      // A rate below one a second is one in several seconds.
      windowSeconds: Math.ceil(1 / Math.min(1, perSecond)),
    };
    this.#perSecond = perSecond;
    this.#thingsMax = thingsMax;
  }

  /**
   * Takes one message from the allowance of this thing (its id as RowBinary has it). Undefined: it is empty. `nowMs` is
   * of a clock that never goes back.
   */
  take(publisher: Uint8Array, nowMs: number): RateLeft | undefined {
    const id = String.fromCharCode(...publisher);
    const each = 1_000 / this.#perSecond;
    const wholeAgain = Math.max(this.#wholeAgain.get(id) ?? 0, nowMs);
    const room = Math.max(1_000 - each, 0) + clockMs - (wholeAgain - nowMs);
    if (room <= 0) return undefined;
    // Set again, so that the thing that sent last stands last.
    this.#wholeAgain.delete(id);
    this.#wholeAgain.set(id, wholeAgain + each);
    this.#forgetOne(nowMs);
    return {
      rate: this.rate,
      remaining: Math.max(0, Math.ceil((room - each) / each)),
      // In whole milliseconds: sums of fractions come out a little above or below the second they mean.
      resetSeconds: Math.ceil(Math.round(wholeAgain + each - nowMs) / 1_000),
    };
  }

  /** Forgets the thing that sent longest ago, if its allowance is whole again or there are too many things. */
  #forgetOne(nowMs: number): void {
    for (const [id, wholeAgain] of this.#wholeAgain) {
      if (wholeAgain <= nowMs || this.#wholeAgain.size > this.#thingsMax) {
        this.#wholeAgain.delete(id);
      }
      return;
    }
  }
}
