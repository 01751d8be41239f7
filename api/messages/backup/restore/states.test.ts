import { describe, expect, it } from 'vitest';
import {
  isDroppedOnFailure,
  type MissingTable,
  type Restore,
  type RestoreEvent,
  resumed,
  transition,
} from './states.ts';

const missing: MissingTable[] = [{ format: 'senml', table: 'restore_1_senml_missing_a' }];
const loading: Restore = {
  state: 'loading',
  file: {
    counts: { senml: 1, json: 0 },
    origin: { kind: 'older', hash: '' },
    chunks: () => (async function* () {})(),
    close: async () => undefined,
  },
};
const comparing: Restore = { state: 'comparing', isNoted: false };
const again: Restore = { state: 'comparing', isNoted: true };
const filtering: Restore = { state: 'filtering', missing };
const noting: Restore = { state: 'noting', missing, leftOut: 2 };
const publishing: Restore = { state: 'publishing', missing, leftOut: 2 };
const clearing: Restore = { state: 'clearing', leftOut: 5 };
const done: Restore = { state: 'done', leftOut: 5 };

const transitions: [from: Restore, event: RestoreEvent, to: Restore][] = [
  [loading, { event: 'loaded' }, comparing],
  [comparing, { event: 'compared', missing }, filtering],
  [again, { event: 'compared', missing }, { state: 'publishing', missing, leftOut: 0 }],
  [filtering, { event: 'filtered', leftOut: 2 }, noting],
  [noting, { event: 'noted' }, publishing],
  [publishing, { event: 'published', leftOut: 3 }, clearing],
  [clearing, { event: 'cleared' }, done],
];

describe('a restore', () => {
  it.each(
    transitions.map(
      ([from, event, to]) => [from.state, event.event, to.state, { from, event, to }] as const,
    ),
  )('that is %s and was %s is %s', (_from, _event, _to, { from, event, to }) => {
    expect(transition(from, event)).toEqual(to);
  });

  it('has no other transitions', () => {
    const states = [loading, comparing, again, filtering, noting, publishing, clearing, done];
    const allowed = new Set(transitions.map(([from, { event }]) => `${from.state} ${event}`));
    for (const from of states) {
      for (const [, event] of transitions) {
        if (allowed.has(`${from.state} ${event.event}`)) continue;
        expect(() => transition(from, event)).toThrow(event.event);
      }
    }
  });

  it('that failed is dropped before its note, and afterwards completed', () => {
    const dropped = [loading, comparing, filtering];
    for (const one of dropped) expect(isDroppedOnFailure(one)).toBe(true);
    for (const one of [again, noting, publishing, clearing, done]) {
      expect(isDroppedOnFailure(one)).toBe(false);
    }
  });

  it('whose note is found is compared again, or cleared where its tables are being dropped', () => {
    const tables = ['restore_1_senml', 'restore_1_json'];
    expect(resumed(tables, [...tables, 'restore_2_senml'])).toEqual(again);
    expect(resumed(tables, ['restore_1_json'])).toEqual({ state: 'clearing', leftOut: 0 });
  });
});
