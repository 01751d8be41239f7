import type { RateLeft } from '../../schemas/http/rate-limit.ts';

/** The quota of an org, and its usage as all edges together have counted it. */
export type QuotaState = {
  messagesPerMonth: number | undefined;
  recordsPerSecond: number | undefined;
  /** This month's, and when it ends. */
  messages: number;
  monthEndsMs: number;
};

/** The limit that a message would be over, and after how many seconds a device should ask again. */
export type OverQuota = { left: RateLeft; retrySeconds: number };

/** A refused device asks again within the hour: the quota may be a larger one by then. */
const retrySecondsMax = 3_600;
/** How many seconds' records of other edges are waited for at most. */
const othersSecondsMax = 10;

/** How much more an org may send, as far as this edge knows. */
export class OrgQuota {
  #messagesPerMonth = Infinity;
  #messagesLeft = Infinity;
  #monthEndsMs = Infinity;
  #recordsPerSecond = Infinity;
  /** Records that may come now. Below 0: what came was more than may, and is waited for. */
  #recordsLeft = 0;
  #filledMs: number;

  constructor(nowMs: number) {
    this.#filledMs = nowMs;
  }

  /** Takes what is in the database. `sinceMessages`, `sinceRecords`: counted here and not yet there; `others`: records of other edges. */
  learn(
    { messagesPerMonth = Infinity, recordsPerSecond = Infinity, ...state }: QuotaState,
    { sinceMessages, others }: { sinceMessages: number; others: number },
    nowMs: number,
  ): void {
    this.#messagesPerMonth = messagesPerMonth;
    this.#messagesLeft = messagesPerMonth - state.messages - sinceMessages;
    this.#monthEndsMs = state.monthEndsMs;
    if (recordsPerSecond !== this.#recordsPerSecond) {
      this.#recordsPerSecond = recordsPerSecond;
      this.#recordsLeft = recordsPerSecond;
      this.#filledMs = nowMs;
    } else if (recordsPerSecond !== Infinity) {
      this.#fill(nowMs);
      const least = Math.min(this.#recordsLeft, -othersSecondsMax * recordsPerSecond);
      this.#recordsLeft = Math.max(this.#recordsLeft - others, least);
    }
  }

  /** The limit that a message would be over; undefined: it may come. */
  over(nowMs: number): OverQuota | undefined {
    if (this.#messagesLeft <= 0 && nowMs < this.#monthEndsMs) {
      const resetSeconds = Math.ceil((this.#monthEndsMs - nowMs) / 1_000);
      const quota = this.#messagesPerMonth;
      // A month is as long as it is: the window is that of the longest.
      const rate = { name: 'messages of an org', quota, windowSeconds: 31 * 86_400 };
      return {
        left: { rate, remaining: 0, resetSeconds },
        retrySeconds: Math.min(resetSeconds, retrySecondsMax),
      };
    }
    if (this.#recordsPerSecond === Infinity) return undefined;
    this.#fill(nowMs);
    if (this.#recordsLeft > 0) return undefined;
    const quota = this.#recordsPerSecond;
    const retrySeconds = Math.floor(-this.#recordsLeft / quota) + 1;
    const rate = { name: 'records of an org', quota, windowSeconds: 1 };
    return { left: { rate, remaining: 0, resetSeconds: retrySeconds }, retrySeconds };
  }

  /** So many messages with so many records were read. Less than none: they are given back. */
  spend(messages: number, records: number): void {
    this.#messagesLeft -= messages;
    this.#recordsLeft -= records;
  }

  #fill(nowMs: number): void {
    const records = ((nowMs - this.#filledMs) / 1_000) * this.#recordsPerSecond;
    this.#recordsLeft = Math.min(this.#recordsPerSecond, this.#recordsLeft + Math.max(0, records));
    this.#filledMs = nowMs;
  }
}
