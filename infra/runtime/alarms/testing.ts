/** Shared by the tests of alarms: a rule, and the episodes of records as one finds them on paper. */
import type { PastRecord } from './history.ts';
import type { OrgRule } from './rule.ts';

export const second = 1_000_000;

/** Of one series `t`, which is in breach above 8. */
export const ruleOf = (members: Partial<OrgRule> = {}): OrgRule => ({
  id: 'r',
  groupId: 'g',
  orgId: 'o',
  name: 'rule',
  severity: 'warning',
  match: 'all',
  conditions: [{ name: 't', when: '>', value: 8 }],
  forUs: 0,
  clearForUs: 0,
  gapUs: undefined,
  repeatS: undefined,
  profileId: undefined,
  thingIds: undefined,
  receivers: {},
  ...members,
});

/**
 * The episodes of one series above 8 as one finds them on paper, by looking back from each record: begin, fire and end in
 * seconds.
 */
export function onPaper(records: PastRecord[], forS: number, clearForS: number, gapS: number) {
  const isHigh = ({ value }: PastRecord) => Number(value) > 8;
  const found: [number, number, number | undefined][] = [];
  /** Since when all records up to this one were high, or low, without a hole; from `first` on. */
  const since = (at: number, first: number, wanted: boolean) => {
    let start = at;
    for (let one = at; one >= first; one--) {
      const record = records[one];
      const next = records[one + 1];
      if (record === undefined || isHigh(record) !== wanted) break;
      if (one < at && next !== undefined && next.timeUs - record.timeUs > gapS * second) break;
      start = one;
    }
    return (records[start]?.timeUs ?? 0) / second;
  };
  let first = 0;
  for (const [at, record] of records.entries()) {
    const open = found.at(-1);
    const isFiring = open !== undefined && open[2] === undefined;
    const s = record.timeUs / second;
    const isEnough = isHigh(record) !== isFiring;
    if (!isEnough) continue;
    const from = since(at, first, !isFiring);
    if (s - from < (isFiring ? clearForS : forS)) continue;
    if (open !== undefined && isFiring) open[2] = s;
    else found.push([from, s, undefined]);
    first = at + 1;
  }
  return found;
}
