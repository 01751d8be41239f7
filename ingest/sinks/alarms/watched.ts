import { memberAt, type Value } from '../../../infra/runtime/alarms/conditions.ts';
import type { Update } from '../../../infra/runtime/alarms/machine.ts';
import { type OrgRule, isSilent } from '../../../infra/runtime/alarms/rule.ts';
import { uuidFromHex } from '../../codecs/uuid.ts';
import {
  type AlarmRow,
  jsonRecords,
  microseconds,
  senmlColumns,
  senmlValue,
  skipTexts,
} from './records.ts';

/** A rule with its number, by which the known pairs have it. */
export type NumberedRule = { rule: OrgRule; number: number };

/** The values of one time that a message has for a rule. */
export type RuleUpdates = { of: NumberedRule; timeUs: number; updates: Update[] };

/** A condition, by its number, for which records of a series are. */
type Target = { of: NumberedRule; condition: number; subtopic: string | undefined };

type Place = {
  rules: readonly NumberedRule[];
  /** By the bytes of a name, as Latin-1. */
  byName: ReadonlyMap<string, readonly Target[]>;
  /** By `hintOf` 1 for the names there: most others need not be looked up. */
  hints: Uint8Array;
  byPath: readonly (Target & { path: readonly string[] })[];
};

const placeBytes = 32;
const nowhere: Place = { rules: [], byName: new Map(), hints: new Uint8Array(0), byPath: [] };

/** Which rules are about a thing, and what of its messages they are about: compiled for each group and profile. */
export class WatchedSeries {
  readonly #byGroup = new Map<string, NumberedRule[]>();
  readonly #places = new Map<string, Place>();
  /** Messages of one place follow each other. */
  readonly #lastBytes = Buffer.alloc(placeBytes);
  #last = nowhere;

  constructor(rules: readonly NumberedRule[]) {
    for (const one of rules) {
      if (isSilent(one.rule)) continue;
      const { groupId } = one.rule;
      const others = this.#byGroup.get(groupId);
      if (others === undefined) this.#byGroup.set(groupId, [one]);
      else others.push(one);
    }
  }

  /** The updates that a message has: of each rule in the order of their times. */
  updatesIn(body: Buffer, row: AlarmRow, thingId: () => string): RuleUpdates[] {
    const place = this.#placeAt(body, row.placeAt);
    if (place.rules.length === 0) return [];
    const found = row.format === 'senml' ? ofSenml(body, row, place) : ofJson(body, row, place);
    return found.filter(
      ({ of: { rule } }) => rule.thingIds === undefined || rule.thingIds.has(thingId()),
    );
  }

  #placeAt(body: Buffer, start: number): Place {
    for (let at = 0; at < placeBytes; at++) {
      if (body[start + at] === this.#lastBytes[at]) continue;
      body.copy(this.#lastBytes, 0, start, start + placeBytes);
      this.#last = this.#placeOf(this.#lastBytes.toString('latin1'));
      break;
    }
    return this.#last;
  }

  #placeOf(key: string): Place {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const hex = Buffer.from(key, 'latin1').toString('hex');
    const rules = this.#byGroup.get(uuidFromHex(hex.slice(0, 32))) ?? [];
    const profile = uuidFromHex(hex.slice(32));
    const place = compile(
      rules.filter(({ rule: { profileId } }) => profileId === undefined || profileId === profile),
    );
    this.#places.set(key, place);
    return place;
  }
}

function compile(rules: readonly NumberedRule[]): Place {
  if (rules.length === 0) return nowhere;
  const byName = new Map<string, Target[]>();
  const byPath: (Target & { path: readonly string[] })[] = [];
  for (const of of rules) {
    for (const [condition, { name, path, subtopic }] of of.rule.conditions.entries()) {
      const target = { of, condition, subtopic };
      if (path !== undefined) byPath.push({ ...target, path: path.split('.') });
      if (name === undefined) continue;
      const key = Buffer.from(name).toString('latin1');
      const others = byName.get(key);
      if (others === undefined) byName.set(key, [target]);
      else others.push(target);
    }
  }
  const hints = new Uint8Array(hintsMax);
  for (const name of byName.keys()) {
    const bytes = Buffer.from(name, 'latin1');
    hints[hintOf(bytes, 0, bytes.length)] = 1;
  }
  return { rules, byName, hints, byPath };
}

const hintsMax = 512;

/** By the length of a name and its last byte. */
const hintOf = (body: Buffer, start: number, end: number): number =>
  ((end - start) * 31 + (body[end - 1] ?? 0)) % hintsMax;

function ofSenml(
  body: Buffer,
  { columnsAt, subtopic }: AlarmRow,
  { byName, hints }: Place,
): RuleUpdates[] {
  if (byName.size === 0) return [];
  const updates = new Updates();
  const columns = senmlColumns(body, columnsAt);
  let at = columns.namesAt;
  for (let record = 0; record < columns.count; record++) {
    // A name of more than 127 bytes has two bytes of length before it.
    const start = at + ((body[at] ?? 0) < 128 ? 1 : 2);
    at = skipTexts(body, at, 1);
    if (hints[hintOf(body, start, at)] !== 1) continue;
    const targets = byName.get(body.toString('latin1', start, at));
    if (targets === undefined) continue;
    const value = senmlValue(body, columns, record);
    if (value === undefined) continue;
    const timeUs = microseconds(body, columns.timesAt + record * 8);
    for (const target of targets) updates.add(target, subtopic, timeUs, value);
  }
  return updates.inOrder;
}

function ofJson(body: Buffer, { columnsAt, subtopic }: AlarmRow, { byPath }: Place): RuleUpdates[] {
  if (byPath.length === 0) return [];
  const updates = new Updates();
  for (const { timeUs, payload } of jsonRecords(body, columnsAt)) {
    const parsed: unknown = JSON.parse(payload);
    for (const target of byPath) {
      const value = memberAt(parsed, target.path);
      if (value !== undefined) updates.add(target, subtopic, timeUs, value);
    }
  }
  return updates.inOrder;
}

/** Updates of one time and one rule are taken together. A message may have its records in whatever order. */
class Updates {
  readonly #byTime = new Map<number, Map<NumberedRule, RuleUpdates>>();

  add(target: Target, subtopic: string, timeUs: number, value: Value): void {
    if (target.subtopic !== undefined && target.subtopic !== subtopic) return;
    const { of, condition } = target;
    let ofTime = this.#byTime.get(timeUs);
    if (ofTime === undefined) this.#byTime.set(timeUs, (ofTime = new Map()));
    const known = ofTime.get(of);
    if (known === undefined) ofTime.set(of, { of, timeUs, updates: [{ condition, value }] });
    else known.updates.push({ condition, value });
  }

  get inOrder(): RuleUpdates[] {
    const times = [...this.#byTime].toSorted(([one], [other]) => one - other);
    return times.flatMap(([, ofTime]) => [...ofTime.values()]);
  }
}
