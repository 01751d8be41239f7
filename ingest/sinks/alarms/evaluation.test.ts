import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmsIn } from '../../../infra/runtime/alarms/history.ts';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';
import { ruleOf as ruleWith } from '../../../infra/runtime/alarms/testing.ts';
import { batchOf, group, type Message, profile, Sink, things as thousand } from './testing.ts';

const things = thousand.slice(0, 3);
const nowS = 1_700_000_000;

const ruleOf = (members: Partial<OrgRule>): OrgRule =>
  ruleWith({
    id: randomUUID(),
    groupId: group,
    conditions: [{ name: 't', when: '>', value: 8, clear: { when: '<', value: 6 } }],
    ...members,
  });

/** The transitions of the episodes that records in order have. */
const expected = (rule: OrgRule, records: Message['records']) =>
  alarmsIn(
    rule,
    records.flatMap(({ n, t, v }) => {
      const condition = rule.conditions.findIndex(({ name }) => name === n);
      return condition === -1 ? [] : [{ condition, timeUs: t * 1_000_000, value: v }];
    }),
  ).flatMap(({ beganUs, firedUs, endedUs }) =>
    endedUs === undefined
      ? ['fired', beganUs, firedUs]
      : ['fired', beganUs, firedUs, 'ended', endedUs],
  );

describe('the sink of alarms', () => {
  const steps = fc.array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant('batch' as const),
          messages: fc.array(
            fc.record({
              step: fc.constantFrom(1, 2, 7, 30),
              thing: fc.nat(things.length - 1),
              values: fc.array(
                fc.tuple(fc.constantFrom('t', 'u', 'w'), fc.constantFrom(3, 5, 7, 9, 12)),
                { minLength: 1, maxLength: 3 },
              ),
            }),
            { minLength: 1, maxLength: 6 },
          ),
          isFirstDropped: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
    ),
    { maxLength: 15 },
  );

  it('fires and ends what the records in order have, over failed batches and restarts', () => {
    const both = [
      { name: 't', when: '>', value: 8 } as const,
      { name: 'u', when: '<', value: 6 } as const,
    ];
    fc.assert(
      fc.property(steps, fc.constantFrom(0, 5, 10), fc.constantFrom(0, 4), (all, forS, clearS) => {
        const times = { forUs: forS * 1_000_000, clearForUs: clearS * 1_000_000 };
        const rules = [
          ruleOf(times),
          ruleOf({ ...times, conditions: both }),
          ruleOf({ ...times, conditions: both, match: 'any' }),
        ];
        const sink = new Sink(rules);
        const sent = things.map((): Message['records'] => []);
        let s = nowS;
        for (const step of all) {
          if (step.kind === 'restart') {
            sink.restart();
            continue;
          }
          const messages = step.messages.map(({ thing, values, step: seconds }) => {
            s += seconds;
            const records = values.map(([n, v]) => ({ n, t: s, v }));
            sent[thing]?.push(...records);
            return { thing, records };
          });
          if (step.isFirstDropped) sink.drop(messages, s);
          sink.take(messages, s);
        }
        expect(sink.evaluation.counts).toMatchObject({ late: 0, future: 0 });
        for (const rule of rules) {
          for (const [at, id] of things.entries()) {
            expect(sink.told(rule.id, id)).toEqual(expected(rule, sent[at] ?? []));
          }
        }
      }),
    );
  });

  const at = (t: number, v: number) => ({ n: 't', t: nowS + t, v });

  it('remembers the usual interval of a thing that is ok', () => {
    const rule = ruleOf({ forUs: 5_000_000 });
    const sink = new Sink([rule]);
    const records = [at(0, 5), at(1, 5), at(2, 5), at(31, 9), at(38, 9), at(40, 9), at(43, 9)];
    for (const record of records) sink.take([{ thing: 0, records: [record] }], nowS + 43);
    const [id = ''] = things;
    expect(sink.told(rule.id, id)).toEqual(expected(rule, records));
    expect(sink.told(rule.id, id)).toEqual(['fired', (nowS + 38) * 1e6, (nowS + 43) * 1e6]);
  });

  it('never moves the present by a record that comes late, and notes it', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule]);
    sink.take([{ thing: 0, records: [at(10, 5)] }], nowS + 20);
    sink.evaluation.look(batchOf([{ thing: 0, records: [at(5, 9)] }], nowS + 20), () => false);
    const { touched, late } = sink.evaluation.outcome;
    expect(touched).toEqual([]);
    const timeUs = (nowS + 5) * 1_000_000;
    expect(late).toEqual([
      { ruleId: rule.id, thingId: things[0], fromUs: timeUs, toUs: timeUs, onlyIfAlarm: false },
    ]);
  });

  it('does not look at records more than five minutes in the future', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule]);
    sink.take([{ thing: 0, records: [at(301, 9)] }], nowS);
    expect(sink.told(rule.id, things[0] ?? '')).toEqual([]);
    expect(sink.evaluation.counts.future).toBe(1);
    sink.take([{ thing: 0, records: [at(300, 9)] }], nowS);
    expect(sink.told(rule.id, things[0] ?? '')).toHaveLength(3);
  });

  it('takes records older than an hour for history', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule]);
    sink.take([{ thing: 0, records: [at(-3_601, 9)] }], nowS);
    expect(sink.told(rule.id, things[0] ?? '')).toEqual([]);
    expect(sink.evaluation.counts.late).toBe(1);
  });

  it('moves a thing with a later record, if its org has had as many transitions as it may', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule], { transitions: 1 });
    sink.take([{ thing: 0, records: [at(0, 9)] }], nowS);
    sink.take([{ thing: 1, records: [at(0, 9)] }], nowS);
    sink.take([{ thing: 0, records: [at(1, 5)] }], nowS + 1);
    const told = things.map((id) => sink.told(rule.id, id)[0]);
    expect(told).toEqual(['fired', undefined, undefined]);
    expect(sink.evaluation.counts.throttled).toBe(2);
  });

  it('notes a late record of a thing whose org has had as many transitions as it may', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule], { transitions: 0 });
    sink.take([{ thing: 0, records: [at(10, 5)] }], nowS + 20);
    sink.take([{ thing: 0, records: [at(11, 9)] }], nowS + 20);
    sink.take([{ thing: 0, records: [at(5, 9)] }], nowS + 20);
    expect(sink.evaluation.counts).toMatchObject({ throttled: 1, late: 1 });
  });

  it('takes the newest of each series of a message, if its org has had as many evaluations as it may', () => {
    const rules = [ruleOf({}), ruleOf({})];
    const sink = new Sink(rules, { evaluations: 4 });
    const two = [at(0, 9), at(1, 5)];
    sink.take([{ thing: 0, records: two }], nowS);
    sink.take([{ thing: 1, records: two }], nowS);
    sink.take([{ thing: 2, records: [...two, at(2, 9)].toReversed() }], nowS);
    const told = (thing: number) =>
      rules.map(({ id }) => sink.told(id, things[thing] ?? '').length);
    expect([told(0), told(1), told(2)]).toEqual([
      [5, 5],
      [0, 0],
      [3, 3],
    ]);
    expect(sink.evaluation.counts).toMatchObject({ evaluated: 8, skipped: 6 });
    sink.take([{ thing: 1, records: [at(3, 9), at(4, 5)] }], nowS + 4);
    expect(told(1)).toEqual([5, 5]);
  });

  it('gives back what a batch took that came to nothing', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule], { transitions: 1, evaluations: 2 });
    const message = { thing: 0, records: [at(0, 5), at(1, 9)] };
    for (let attempt = 0; attempt < 3; attempt++) sink.drop([message], nowS + 1);
    sink.take([message], nowS + 1);
    expect(sink.told(rule.id, things[0] ?? '')[0]).toBe('fired');
    expect(sink.evaluation.counts).toMatchObject({ skipped: 0, throttled: 0 });
  });

  it('takes records of a message in the order of their times, and those of one time together', () => {
    const rule = ruleOf({});
    const sink = new Sink([rule]);
    const records = [at(30, 5), at(20, 5), at(20, 9), at(10, 9), at(30, 5), at(10, 5)];
    sink.take([{ thing: 0, records }], nowS + 30);
    const [id = ''] = things;
    const [began, ended] = [(nowS + 10) * 1e6, (nowS + 30) * 1e6];
    expect(sink.told(rule.id, id)).toEqual(['fired', began, began, 'ended', ended]);
  });

  it('finds members of JSON by their paths, in messages of the subtopic', () => {
    const condition = { path: 'room.t', when: '>', value: 8 } as const;
    const rule = ruleOf({ conditions: [{ ...condition, subtopic: 'sub' }] });
    const elsewhere = ruleOf({ conditions: [{ ...condition, subtopic: 'other' }] });
    const sink = new Sink([rule, elsewhere]);
    const [id = ''] = things;
    sink.take([{ thing: 0, records: [], json: { room: { t: 9 } } }], nowS);
    sink.take([{ thing: 0, records: [], json: { room: { t: 'hot' }, t: 1 } }], nowS + 1);
    sink.take([{ thing: 0, records: [], json: [{ room: { t: 7 } }] }], nowS + 2);
    expect(sink.told(rule.id, id)).toHaveLength(5);
    expect(sink.told(elsewhere.id, id)).toEqual([]);
  });

  it('gives a transition the units of the records that it came with', () => {
    const conditions = [
      { name: 't', when: '>', value: 8 },
      { name: 'u', when: '<', value: 6 },
    ] as const;
    const rules = [ruleOf({ conditions }), ruleOf({ conditions, match: 'any' })];
    const sink = new Sink(rules);
    sink.take([{ thing: 0, records: [{ n: 'u', u: '%RH', t: nowS, v: 7 }] }], nowS);
    const record = { n: 'u', u: '%RH', t: nowS + 1, v: 5 };
    const others = [{ ...record, n: 'x', u: 'm' }, record, { ...record, n: 'y' }];
    const records = [...others, { ...at(1, 9), u: 'Cel' }];
    sink.evaluation.look(batchOf([{ thing: 0, records }], nowS + 1), () => false);
    const values = sink.evaluation.outcome.touched.flatMap(({ transitions }) =>
      transitions.map((one) => one.values),
    );
    const whole = [
      { name: 't', value: 9, unit: 'Cel' },
      { name: 'u', value: 5, unit: '%RH' },
    ];
    expect(values).toEqual([whole, whole]);
  });

  it('tells a value that came before without its unit', () => {
    const conditions = [
      { name: 't', when: '>', value: 8 },
      { name: 'u', when: '<', value: 6 },
    ] as const;
    const sink = new Sink([ruleOf({ conditions })]);
    sink.take([{ thing: 0, records: [{ n: 'u', u: '%RH', t: nowS, v: 5 }] }], nowS);
    const records = [{ ...at(1, 9), u: 'Cel' }];
    sink.evaluation.look(batchOf([{ thing: 0, records }], nowS + 1), () => false);
    const [touched] = sink.evaluation.outcome.touched;
    expect(touched?.transitions[0]?.values).toEqual([
      { name: 't', value: 9, unit: 'Cel' },
      { name: 'u', value: 5 },
    ]);
  });

  it('looks only at things of the group, the profile and the list of a rule', () => {
    const [first = ''] = things;
    const rules = [
      ruleOf({ groupId: randomUUID() }),
      ruleOf({ profileId: randomUUID() }),
      ruleOf({ thingIds: new Set([first]) }),
      ruleOf({ profileId: profile }),
    ];
    const sink = new Sink(rules);
    const records = [at(0, 9)];
    sink.take(
      things.map((_, thing) => ({ thing, records })),
      nowS,
    );
    const told = rules.map(({ id }) => things.filter((thing) => sink.told(id, thing).length > 0));
    expect(told).toEqual([[], [], [first], things]);
  });
});
