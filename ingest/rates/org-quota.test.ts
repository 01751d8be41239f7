import { describe, expect, it } from 'vitest';
import { OrgMeters, type OrgTotals } from './org-meters.ts';
import { OrgQuota } from './org-quota.ts';

const start = Date.UTC(2026, 10, 30, 23, 59, 0);
const monthEndsMs = Date.UTC(2026, 11, 1);
const nothing = { sinceMessages: 0, others: 0 };
const state = {
  messagesPerMonth: undefined,
  recordsPerSecond: undefined,
  messages: 0,
  monthEndsMs,
};

describe('a quota of messages in a month', () => {
  it('lets as many in as are left, and again when the month is over', () => {
    const quota = new OrgQuota(start);
    quota.learn(
      { ...state, messagesPerMonth: 10, messages: 7 },
      { sinceMessages: 1, others: 0 },
      start,
    );
    let accepted = 0;
    for (; quota.over(start) === undefined; accepted++) quota.spend(1, 1);
    expect(accepted).toBe(2);
    expect(quota.over(start)).toEqual({
      left: {
        rate: { name: 'messages of an org', quota: 10, windowSeconds: 31 * 86_400 },
        remaining: 0,
        resetSeconds: 60,
      },
      retrySeconds: 60,
    });
    expect(quota.over(monthEndsMs)).toBeUndefined();
  });

  it('asks devices to come back within the hour, however long the month is', () => {
    const early = Date.UTC(2026, 10, 2);
    const quota = new OrgQuota(early);
    quota.learn({ ...state, messagesPerMonth: 0 }, nothing, early);
    expect(quota.over(early)?.retrySeconds).toBe(3_600);
  });
});

describe('a quota of records a second', () => {
  const perSecond = (quota: OrgQuota, more: Partial<typeof nothing>, atMs: number) =>
    quota.learn({ ...state, recordsPerSecond: 100 }, { ...nothing, ...more }, atMs);

  it('is kept over a while, however many records a message has', () => {
    for (const records of [1, 7, 100, 1_000]) {
      const quota = new OrgQuota(start);
      perSecond(quota, {}, start);
      let sent = 0;
      for (let atMs = start; atMs < start + 60_000; atMs += 5) {
        if (quota.over(atMs) !== undefined) continue;
        quota.spend(1, records);
        sent += records;
      }
      expect(sent).toBeGreaterThanOrEqual(60 * 100);
      expect(sent).toBeLessThanOrEqual(61 * 100 + records);
    }
  });

  it('tells when a message may come again, and is right', () => {
    const quota = new OrgQuota(start);
    perSecond(quota, {}, start);
    quota.spend(1, 1_000);
    const retrySeconds = quota.over(start)?.retrySeconds ?? 0;
    expect(retrySeconds).toBe(10);
    expect(quota.over(start + (retrySeconds - 1) * 1_000)).toBeDefined();
    expect(quota.over(start + retrySeconds * 1_000)).toBeUndefined();
  });

  it('counts what other edges took, and waits for ten seconds of it at most', () => {
    const quota = new OrgQuota(start);
    perSecond(quota, {}, start);
    perSecond(quota, { others: 300 }, start);
    expect(quota.over(start)?.retrySeconds).toBe(3);
    perSecond(quota, { others: 1e9 }, start);
    expect(quota.over(start)?.retrySeconds).toBe(11);
  });

  it('is kept by two edges together that tell each other every two seconds', () => {
    const edges = [new OrgQuota(start), new OrgQuota(start)];
    for (const edge of edges) perSecond(edge, {}, start);
    const sent = [0, 0];
    const told = [0, 0];
    for (let atMs = start; atMs < start + 120_000; atMs += 10) {
      for (const [i, edge] of edges.entries()) {
        if (edge.over(atMs) !== undefined) continue;
        edge.spend(1, 1);
        sent[i] = (sent[i] ?? 0) + 1;
      }
      if ((atMs - start) % 2_000 !== 0) continue;
      const now = [...sent];
      for (const [i, edge] of edges.entries()) {
        const other = 1 - i;
        perSecond(edge, { others: (now[other] ?? 0) - (told[other] ?? 0) }, atMs);
      }
      for (const i of [0, 1]) told[i] = now[i] ?? 0;
    }
    const all = (sent[0] ?? 0) + (sent[1] ?? 0);
    // Within two seconds each knows nothing of the other.
    expect(all).toBeGreaterThan(120 * 100 * 0.9);
    expect(all).toBeLessThan(120 * 100 + 2 * 2 * 100);
  });
});

describe('meters of orgs', () => {
  const totals = (more: Partial<OrgTotals> & { id: string }): OrgTotals => ({
    messagesPerMonth: undefined,
    recordsPerSecond: undefined,
    messages: 0,
    records: 0,
    monthEndsMs: Date.now() + 86_400_000,
    ...more,
  });

  it('count what each org sends, give it away once, and take it back where it was not told', () => {
    const meters = new OrgMeters();
    const [one, other] = [meters.of('1'), meters.of('2')];
    expect(meters.of('1')).toBe(one);
    expect(meters.take(10)).toEqual([]);
    expect([one.over(), other.over()]).toEqual([undefined, undefined]);
    one.count(1, 3);
    one.count(1, 4);
    expect(meters.take(1)).toEqual([{ id: '1', messages: 2, records: 7 }]);
    const rest = meters.take(10);
    expect(rest).toEqual([{ id: '2', messages: 0, records: 0 }]);
    meters.giveBack([{ id: '1', messages: 2, records: 7 }]);
    one.count(1, 1);
    expect(meters.take(10)).toEqual([{ id: '1', messages: 3, records: 8 }]);
    expect(meters.take(10)).toEqual([]);
  });

  it('refuse by the quota that they learn, until there is none', () => {
    const meters = new OrgMeters();
    const meter = meters.of('1');
    const learn = (more: Partial<OrgTotals>) => {
      meter.over();
      meters.learn([totals({ id: '1', ...more })], meters.take(10));
    };
    meter.over();
    meter.count(1, 1);
    learn({ messagesPerMonth: 2, messages: 1 });
    expect(meter.over()).toBeUndefined();
    meter.count(1, 1);
    expect(meter.over()?.left.rate.name).toBe('messages of an org');
    learn({ messagesPerMonth: 3, messages: 2 });
    expect(meter.over()).toBeUndefined();
    learn({});
    meter.count(1, 1_000);
    meter.count(1, 1_000);
    expect(meter.over()).toBeUndefined();
  });
});
