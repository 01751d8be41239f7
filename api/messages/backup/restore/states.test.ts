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
  kind: 'loading',
  file: {
    counts: { senml: 1, json: 0 },
    origin: { kind: 'older', hash: '' },
    chunks: () => (async function* () {})(),
    close: async () => undefined,
  },
};
const comparing: Restore = { kind: 'comparing', isNoted: false };
const again: Restore = { kind: 'comparing', isNoted: true };
const filtering: Restore = { kind: 'filtering', missing };
const noting: Restore = { kind: 'noting', missing, leftOut: 2 };
const publishing: Restore = { kind: 'publishing', missing, leftOut: 2 };
const clearing: Restore = { kind: 'clearing', leftOut: 5 };
const done: Restore = { kind: 'done', leftOut: 5 };

const transitions: [from: Restore, event: RestoreEvent, to: Restore][] = [
  [loading, { kind: 'loaded' }, comparing],
  [comparing, { kind: 'compared', missing }, filtering],
  [again, { kind: 'compared', missing }, { kind: 'publishing', missing, leftOut: 0 }],
  [filtering, { kind: 'filtered', leftOut: 2 }, noting],
  [noting, { kind: 'noted' }, publishing],
  [publishing, { kind: 'published', leftOut: 3 }, clearing],
  [clearing, { kind: 'cleared' }, done],
];

describe('a restore', () => {
  it.each(
    transitions.map(
      ([from, event, to]) => [from.kind, event.kind, to.kind, { from, event, to }] as const,
    ),
  )('that is %s and was %s is %s', (_from, _event, _to, { from, event, to }) => {
    expect(transition(from, event)).toEqual(to);
  });

  it('has no other transitions', () => {
    const states = [loading, comparing, again, filtering, noting, publishing, clearing, done];
    const allowed = new Set(transitions.map(([from, { kind }]) => `${from.kind} ${kind}`));
    for (const from of states) {
      for (const [, event] of transitions) {
        if (allowed.has(`${from.kind} ${event.kind}`)) continue;
        expect(() => transition(from, event)).toThrow(event.kind);
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
    expect(resumed(tables, ['restore_1_json'])).toEqual({ kind: 'clearing', leftOut: 0 });
  });
});
