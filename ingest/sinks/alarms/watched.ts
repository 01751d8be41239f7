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

/** A value for a condition, and the number of its record in the row. */
export type RecordUpdate = Update & { record: number };

/** Takes the values of one time that a message has for a rule. */
type Take = (of: NumberedRule, timeUs: number, updates: readonly RecordUpdate[]) => void;

/** A condition, by its number, for which records of a series are. */
type Target = { of: NumberedRule; condition: number; subtopic: string | undefined };

/** A value of a message, and what it is for. */
type Found = { timeUs: number; value: Value; record: number; targets: readonly Target[] };

/** Takes so many values that are held against rules from the org's budget. False: it has no more. */
type TryAfford = (orgId: string, evaluations: number) => boolean;

type Place = {
  rules: readonly NumberedRule[];
  /** Each of them has one condition. */
  areSimple: boolean;
  /** By the bytes of a name, as Latin-1. */
  byName: ReadonlyMap<string, readonly Target[]>;
  /** By `hintOf` 1 for the names there: most others need not be looked up. */
  hints: Uint8Array;
  byPath: readonly { path: readonly string[]; targets: readonly Target[] }[];
};

const placeBytes = 32;
const nowhere: Place = {
  rules: [],
  areSimple: true,
  byName: new Map(),
  hints: new Uint8Array(0),
  byPath: [],
};

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

  /**
   * Calls `take` with the values that a message has for each rule, in the order of their times: with all of them, or with the
   * newest of each series, if the org may have no more.
   *
   * @returns how many evaluations there were too many.
   */
  forEachUpdate(
    body: Buffer,
    row: AlarmRow,
    thingId: () => string,
    tryAfford: TryAfford,
    take: Take,
  ): number {
    const place = this.#placeAt(body, row.placeAt);
    const [first] = place.rules;
    if (first === undefined) return 0;
    const all = row.format === 'senml' ? ofSenml(body, row, place) : ofJson(body, row, place);
    const wanted = evaluationsOf(all);
    const found = tryAfford(first.rule.orgId, wanted) ? all : newestOfEach(all);
    const isFor = ({ of: { rule }, subtopic }: Target) =>
      (subtopic === undefined || subtopic === row.subtopic) &&
      (rule.thingIds === undefined || rule.thingIds.has(thingId()));
    const inOrder = found.toSorted((one, other) => one.timeUs - other.timeUs);
    for (let at = 0, end = 0; at < inOrder.length; at = end) {
      while (inOrder[end]?.timeUs === inOrder[at]?.timeUs && end < inOrder.length) end += 1;
      const ofTime = inOrder.slice(at, end);
      if (place.areSimple && areApart(ofTime)) for (const one of ofTime) takeOne(one, isFor, take);
      else takeTogether(ofTime, isFor, take);
    }
    return found === all ? 0 : wanted - evaluationsOf(found);
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
  const byPath = new Map<string, Target[]>();
  for (const of of rules) {
    for (const [condition, { name, path, subtopic }] of of.rule.conditions.entries()) {
      const target = { of, condition, subtopic };
      if (path !== undefined) addTo(byPath, path, target);
      if (name !== undefined) addTo(byName, Buffer.from(name).toString('latin1'), target);
    }
  }
  const hints = new Uint8Array(hintsMax);
  for (const name of byName.keys()) {
    const bytes = Buffer.from(name, 'latin1');
    hints[hintOf(bytes, 0, bytes.length)] = 1;
  }
  const paths = [...byPath].map(([path, targets]) => ({ path: path.split('.'), targets }));
  const areSimple = rules.every(({ rule }) => rule.conditions.length === 1);
  return { rules, areSimple, byName, hints, byPath: paths };
}

function addTo(of: Map<string, Target[]>, key: string, target: Target): void {
  const others = of.get(key);
  if (others === undefined) of.set(key, [target]);
  else others.push(target);
}

const hintsMax = 512;

/** By the length of a name and its last byte. */
const hintOf = (body: Buffer, start: number, end: number): number =>
  ((end - start) * 31 + (body[end - 1] ?? 0)) % hintsMax;

function ofSenml(body: Buffer, { columnsAt }: AlarmRow, { byName, hints }: Place): Found[] {
  const found: Found[] = [];
  if (byName.size === 0) return found;
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
    found.push({ timeUs, value, record, targets });
  }
  return found;
}

function ofJson(body: Buffer, { columnsAt }: AlarmRow, { byPath }: Place): Found[] {
  const found: Found[] = [];
  if (byPath.length === 0) return found;
  for (const [record, { timeUs, payload }] of jsonRecords(body, columnsAt).entries()) {
    const parsed: unknown = JSON.parse(payload);
    for (const { path, targets } of byPath) {
      const value = memberAt(parsed, path);
      if (value !== undefined) found.push({ timeUs, value, record, targets });
    }
  }
  return found;
}

function evaluationsOf(found: readonly Found[]): number {
  let sum = 0;
  for (const { targets } of found) sum += targets.length;
  return sum;
}

/** Of each series the newest value; of several of one time the last one. */
function newestOfEach(found: readonly Found[]): Found[] {
  const newest = new Map<readonly Target[], Found>();
  for (const one of found) {
    const other = newest.get(one.targets);
    if (other === undefined || one.timeUs >= other.timeUs) newest.set(one.targets, one);
  }
  return [...newest.values()];
}

/** Whether each of these values, which are of one time, is of another series. */
const areApart = (ofTime: readonly Found[]): boolean =>
  ofTime.length === 1 || new Set(ofTime.map(({ targets }) => targets)).size === ofTime.length;

/** The usual value is for rules of one condition each: it takes nothing but this one array. */
function takeOne({ timeUs, value, record, targets }: Found, isFor: IsFor, take: Take): void {
  const updates = [{ condition: 0, value, record }];
  for (const target of targets) {
    if (isFor(target)) take(target.of, timeUs, updates);
  }
}

/** Values of one rule, of one time, are taken together. */
function takeTogether(ofTime: readonly Found[], isFor: IsFor, take: Take): void {
  const byRule = new Map<NumberedRule, RecordUpdate[]>();
  for (const { value, record, targets } of ofTime) {
    for (const target of targets) {
      if (!isFor(target)) continue;
      const { of, condition } = target;
      const updates = byRule.get(of);
      if (updates === undefined) byRule.set(of, [{ condition, value, record }]);
      else updates.push({ condition, value, record });
    }
  }
  const [first] = ofTime;
  if (first === undefined) return;
  for (const [of, updates] of byRule) take(of, first.timeUs, updates);
}

/** Whether a value of the message counts for a condition. */
type IsFor = (target: Target) => boolean;
