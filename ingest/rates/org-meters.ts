import { OrgQuota, type OverQuota, type QuotaState } from './org-quota.ts';

/** Messages of an org that were counted and are not in the database yet. */
export type OrgCount = { id: string; messages: number; records: number };

/** The quota and usage of an org in the database; of an org without a quota, its counts alone. */
export type OrgTotals = QuotaState & { id: string; records: number };

/** Counts what one org sends through this edge. An org without a quota costs a message two additions. */
export class OrgMeter {
  readonly id: string;
  /** Accepted, and not yet told. */
  messages = 0;
  records = 0;
  /** A message came since the database was asked. */
  wasHeard = false;
  #quota: OrgQuota | undefined;
  /** As of when it was asked, this month's records of all edges. */
  #total = { records: 0, monthEndsMs: 0 };

  constructor(id: string) {
    this.id = id;
  }

  /** As `OrgQuota.over`. */
  over(): OverQuota | undefined {
    this.wasHeard = true;
    return this.#quota?.over(Date.now());
  }

  /** So many messages with so many records were read. */
  count(messages: number, records: number): void {
    this.messages += messages;
    this.records += records;
    this.#quota?.spend(messages, records);
  }

  /** Messages that were counted are not kept after all. */
  takeBack(messages: number, records: number): void {
    this.count(-messages, -records);
  }

  /** Takes the totals, which have what was `told`. */
  learn(totals: OrgTotals, told: OrgCount): void {
    const nowMs = Date.now();
    const { records, monthEndsMs, messagesPerMonth, recordsPerSecond } = totals;
    const isSameMonth = monthEndsMs === this.#total.monthEndsMs;
    const others = isSameMonth ? records - this.#total.records - told.records : 0;
    this.#total = { records, monthEndsMs };
    if (messagesPerMonth === undefined && recordsPerSecond === undefined) {
      this.#quota = undefined;
      return;
    }
    this.#quota ??= new OrgQuota(nowMs);
    this.#quota.learn(totals, { sinceMessages: this.messages, others }, nowMs);
  }
}

/**
 * The meters of all orgs whose things have sent to this edge since it started, by their ids in hex: as few as orgs are,
 * beside their things.
 */
export class OrgMeters {
  readonly #byId = new Map<string, OrgMeter>();

  of(id: string): OrgMeter {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const meter = new OrgMeter(id);
    this.#byId.set(id, meter);
    return meter;
  }

  /** The counts of up to `max` orgs that were heard: they count as written from now on. */
  take(max: number): OrgCount[] {
    const taken: OrgCount[] = [];
    for (const meter of this.#byId.values()) {
      if (taken.length === max) break;
      if (!meter.wasHeard) continue;
      const { id, messages, records } = meter;
      taken.push({ id, messages, records });
      meter.messages = 0;
      meter.records = 0;
      meter.wasHeard = false;
    }
    return taken;
  }

  /** It was not told after all. */
  giveBack(taken: readonly OrgCount[]): void {
    for (const { id, messages, records } of taken) {
      const meter = this.of(id);
      meter.messages += messages;
      meter.records += records;
      meter.wasHeard = true;
    }
  }

  learn(totals: readonly OrgTotals[], taken: readonly OrgCount[]): void {
    const told = new Map(taken.map((one) => [one.id, one]));
    for (const one of totals) {
      const mine = told.get(one.id);
      if (mine !== undefined) this.of(one.id).learn(one, mine);
    }
  }
}
