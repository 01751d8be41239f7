/** Shared by the tests of the sink of alarms: batches of the log, and a sink without Postgres. */
import { randomUUID } from 'node:crypto';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';
import { alarmHeadBytes, writeAlarmHead } from '../../codecs/alarm-head.ts';
import { Codec } from '../../codecs/codec.ts';
import { rowBytes, writeRow } from '../../codecs/row-binary.ts';
import { limits } from '../../codecs/testing.ts';
import { uuidToRowBinary } from '../../codecs/uuid.ts';
import { Evaluation } from './evaluation.ts';
import { KnownPairs } from './known-pairs.ts';
import { keyOf, KnownStates } from './known-states.ts';
import { OrgBudgets } from './org-budgets.ts';
import type { Touched } from './touched.ts';

export const group = randomUUID();
export const profile = randomUUID();
const hex = (id: string) => id.replaceAll('-', '');
export const things = Array.from({ length: 1_000 }, () => randomUUID());

export type Message = {
  thing: number;
  records: { n: string; t: number; v: number; u?: string }[];
  json?: object;
};

const codec = new Codec(limits);

/** A batch of the log with these messages. */
export function batchOf(messages: readonly Message[], receivedS: number) {
  const frames = messages.map(({ thing, records, json }) => {
    const body = Buffer.from(JSON.stringify(json ?? records));
    const type = json === undefined ? 'application/senml+json' : 'application/json';
    const batch = codec.read(body, type, {}, receivedS * 1_000);
    if (batch.kind === 'refused') throw new Error(batch.detail);
    const place = Buffer.from(hex(group) + hex(profile), 'hex');
    const publisher = uuidToRowBinary(things[thing] ?? '');
    const frame = Buffer.alloc(alarmHeadBytes + rowBytes(batch, 'sub'));
    const rowAt = writeAlarmHead({ place, atMs: receivedS * 1_000 }, batch.format, frame, 0);
    const envelope = { publisher, protocol: 'http', subtopic: 'sub' } as const;
    if (writeRow(batch, envelope, frame, rowAt) !== frame.length) {
      throw new Error('a frame has another length');
    }
    return frame;
  });
  let end = 0;
  return { body: Buffer.concat(frames), ends: frames.map((frame) => (end += frame.length)) };
}

/** A sink without Postgres: it keeps what came of each batch. */
export class Sink {
  evaluation: Evaluation;
  #states = new KnownStates();
  readonly #rules: readonly OrgRule[];
  readonly #told = new Map<string, (string | number)[]>();
  /** Those that were not ok once. */
  readonly #notOk = new Map<string, Touched>();

  constructor(
    rules: readonly OrgRule[],
    {
      transitions = Infinity,
      evaluations = Infinity,
    }: { transitions?: number; evaluations?: number } = {},
  ) {
    this.#rules = rules;
    this.evaluation = new Evaluation(this.#states, {
      transitions: new OrgBudgets(0, transitions),
      evaluations: new OrgBudgets(1, evaluations),
    });
    this.evaluation.setRules(rules);
  }

  take(messages: readonly Message[], receivedS: number): void {
    this.evaluation.look(batchOf(messages, receivedS), () => false);
    for (const { rule, thingId, transitions } of this.evaluation.outcome.touched) {
      const told = this.told(rule.id, thingId);
      for (const one of transitions) {
        if (one.kind === 'fired') told.push('fired', one.beganUs, one.firedUs);
        else told.push('ended', one.endedUs);
      }
    }
    this.evaluation.keep((touched) => {
      const { pair, was, rule, thingId } = touched;
      const sequence = (was?.sequence ?? 0) + 1;
      this.#notOk.set(`${rule.id} ${thingId}`, touched);
      return { state: pair.state, sequence, alarmId: null, episode: null, savedAtS: 0 };
    });
  }

  told(ruleId: string, thingId: string): (string | number)[] {
    const key = `${ruleId} ${thingId}`;
    const told = this.#told.get(key) ?? [];
    this.#told.set(key, told);
    return told;
  }

  /** A batch that Postgres did not take. */
  drop(messages: readonly Message[], receivedS: number): void {
    this.evaluation.look(batchOf(messages, receivedS), () => false);
    this.evaluation.drop();
  }

  /** A start with the states of those who are not ok, and then the snapshot. */
  restart(): void {
    const before = this.#states;
    this.#states = new KnownStates();
    this.evaluation = new Evaluation(this.#states, {
      transitions: new OrgBudgets(0, Infinity),
      evaluations: new OrgBudgets(0, Infinity),
    });
    this.evaluation.setRules(this.#rules.toReversed());
    for (const { rule, thingId, pair } of this.#notOk.values()) {
      const thing = uuidToRowBinary(thingId);
      const state = before.stateOf(rule.id, thing);
      const none = pair.newest.map(() => undefined);
      this.#states.setState(rule.id, thing, none, state);
    }
    const keys = new Map(before.rules.map(({ rule, number }) => [number, keyOf(rule)]));
    for (const pairs of before.tables) {
      const bytes = Buffer.concat(pairs.columns());
      const { pairs: read, end } = KnownPairs.of(pairs.series, pairs.size, bytes, 0);
      if (end !== bytes.length) throw new Error('columns have another length');
      this.#states.restore(read, keys);
    }
  }
}
