import { judge } from '../../../infra/runtime/alarms/conditions.ts';
import type { LateRecords } from '../../../infra/runtime/alarms/corrections.ts';
import type { Update } from '../../../infra/runtime/alarms/machine.ts';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';

/** The late records of a batch. */
export class LateOfBatch {
  /** By rule and thing. */
  readonly #byRule = new Map<string, Map<string, LateRecords>>();

  get all(): LateRecords[] {
    return [...this.#byRule.values()].flatMap((ofRule) => [...ofRule.values()]);
  }

  note(rule: OrgRule, thingId: string, timeUs: number, updates: readonly Update[]): void {
    const ofRule = this.#byRule.get(rule.id) ?? new Map<string, LateRecords>();
    this.#byRule.set(rule.id, ofRule);
    const late = ofRule.get(thingId) ?? {
      ruleId: rule.id,
      thingId,
      fromUs: timeUs,
      toUs: timeUs,
      onlyIfAlarm: true,
    };
    ofRule.set(thingId, late);
    late.fromUs = Math.min(late.fromUs, timeUs);
    late.toUs = Math.max(late.toUs, timeUs);
    if (late.onlyIfAlarm) late.onlyIfAlarm = !isAnyBreach(rule, updates);
  }

  clear(): void {
    this.#byRule.clear();
  }
}

const isAnyBreach = ({ conditions }: OrgRule, updates: readonly Update[]): boolean =>
  updates.some(({ condition: at, value }) => {
    const condition = conditions[at];
    return condition !== undefined && judge(condition, value)?.breach === true;
  });
