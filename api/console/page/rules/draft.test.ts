import { describe, expect, it } from 'vitest';
import type { Rule } from '../client/call.ts';
import {
  type Draft,
  type DraftCondition,
  draftOf,
  emptyCondition,
  emptyDraft,
  problemIn,
  problemsOf,
  ruleOf,
  timeOf,
} from './draft.ts';

const rule: Rule = {
  id: '0b8f2f0e-6a55-4f0b-9f0a-2f0c6d1f7a10',
  group_id: 'a1c2e3f4-5b6d-4e7f-8a9b-0c1d2e3f4a5b',
  name: 'cold room',
  enabled: true,
  match: 'any',
  conditions: [
    { name: 'temperature', when: '>', value: 8, clear: { when: '<', value: 6 } },
    { path: 'door.state', subtopic: 'north', when: '==', value: 'open' },
    { name: 'alarm', subtopic: '', when: '!=', value: false },
    {
      name: 'pH',
      when: 'outside',
      low: 6.5,
      high: 8,
      clear: { when: 'between', low: 7, high: 7.5 },
    },
  ],
  for: 300,
  clear_for: 90,
  gap: 7_200,
  severity: 'critical',
  repeat_every: 3_600,
  thing_ids: ['e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b'],
  receivers: { webhook_ids: [], mails: ['night.shift@example.com'] },
  metadata: {},
  firing: 0,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
};

describe('a rule that is typed', () => {
  it('comes out as it went in', () => {
    const {
      id: _,
      group_id: __,
      enabled: ___,
      metadata,
      firing,
      created_at,
      updated_at,
      ...own
    } = rule;
    expect([metadata, firing, created_at, updated_at].length).toBe(4);
    expect(ruleOf(draftOf(rule))).toEqual({ ...own, profile_id: null });
    const silent: Rule = { ...rule, conditions: [{ when: 'silent' }], for: 600, clear_for: 0 };
    delete silent.gap;
    expect(ruleOf(draftOf(silent))).toMatchObject({
      conditions: [{ when: 'silent' }],
      for: 600,
      clear_for: 0,
      gap: null,
    });
    const { receivers: ____, ...heard } = rule;
    expect(ruleOf(draftOf(heard)).receivers).toBeNull();
    expect(ruleOf(draftOf({ ...rule, receivers: {} })).receivers).toEqual({});
    expect(problemsOf(draftOf(rule))).toEqual({});
  });

  it('shows times in the largest unit that is whole', () => {
    expect([0, 30, 90, 300, 7_200, 172_800].map(timeOf)).toEqual([
      { amount: '', unit: 60 },
      { amount: '30', unit: 1 },
      { amount: '90', unit: 1 },
      { amount: '5', unit: 60 },
      { amount: '2', unit: 3_600 },
      { amount: '2', unit: 86_400 },
    ]);
  });

  const typed = (change: Partial<DraftCondition>, rest: Partial<Draft> = {}): Draft => ({
    ...emptyDraft(),
    name: 'rule',
    conditions: [{ ...emptyCondition(), name: 'level', value: '3', ...change }],
    ...rest,
  });

  it('is told at each field what is missing or wrong', () => {
    const fields = (draft: Draft) => Object.keys(problemsOf(draft));
    expect(fields(emptyDraft())).toEqual(['name', 'conditions.0.name', 'conditions.0.value']);
    expect(fields(typed({}))).toEqual([]);
    expect(fields(typed({ value: 'three' }))).toEqual(['conditions.0.value']);
    expect(fields(typed({ topics: 'one' }))).toEqual(['conditions.0.subtopic']);
    expect(fields(typed({ topics: 'none' }))).toEqual([]);
    expect(fields(typed({ when: 'between', low: '5', high: '4' }))).toEqual(['conditions.0.high']);
    expect(fields(typed({ when: '==', kind: 'text', value: '' }))).toEqual([]);
    expect(fields(typed({ clear: '4' }))).toEqual(['conditions.0.clear']);
    expect(fields(typed({ when: '<', clear: '2' }))).toEqual(['conditions.0.clear']);
    expect(fields(typed({ when: '<', clear: '4' }))).toEqual([]);
    expect(fields(typed({}, { watches: 'silence', for: timeOf(5) }))).toEqual(['for']);
    expect(fields(typed({}, { for: { amount: '31', unit: 86_400 } }))).toEqual(['for']);
    expect(fields(typed({}, { hears: 'own', mails: 'ana@example.com, bob' }))).toEqual([
      'receivers',
    ]);
    expect(fields(typed({}, { scope: 'things' }))).toEqual(['thing_ids']);
  });

  it('takes a refusal of the API to its field', () => {
    expect(problemIn('conditions.1.path: name and path exclude each other')).toEqual({
      'conditions.1.name': 'name and path exclude each other',
    });
    expect(problemIn('conditions.0.clear: can hold for a value that is in breach')).toEqual({
      'conditions.0.clear': 'can hold for a value that is in breach',
    });
    expect(problemIn('clear_for: silence is over with the first message')).toEqual({
      clear_for: 'silence is over with the first message',
    });
    expect(problemIn('The group is gone')).toEqual({});
  });
});
