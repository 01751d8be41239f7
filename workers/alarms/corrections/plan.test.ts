import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KnownAlarm, type PastEpisode, planCorrections } from './plan.ts';

const range = { fromUs: 100, toUs: 200 };

const episode = (beganUs: number, endedUs: number): PastEpisode => ({
  beganUs,
  firedUs: beganUs,
  endedUs,
  beganValues: [],
  endedValues: [],
});

const alarm = (
  id: string,
  beganUs: number,
  endedUs: number | null,
  more: Partial<KnownAlarm> = {},
): KnownAlarm => ({
  id,
  beganUs,
  firedUs: beganUs,
  endedUs,
  endedWhy: endedUs === null ? null : 'cleared',
  isHistory: false,
  isOfFormerRule: false,
  ...more,
});

const nothing = { changed: [], added: [], removed: [] };

describe('history', () => {
  it('gets alarms that the records have', () => {
    expect(planCorrections([episode(110, 120)], [], range)).toEqual({
      ...nothing,
      added: [episode(110, 120)],
    });
  });

  it('leaves alarms that are as the records have them', () => {
    const known = [alarm('told', 110, 120), alarm('found', 130, 140, { isHistory: true })];
    expect(planCorrections([episode(110, 120), episode(130, 140)], known, range)).toEqual(nothing);
  });

  it('gets the times of an alarm that receivers were told of', () => {
    const plan = planCorrections([episode(105, 130)], [alarm('told', 110, 120)], range);
    expect(plan).toEqual({ ...nothing, changed: [{ id: 'told', episode: episode(105, 130) }] });
  });

  it('keeps an alarm that receivers were told of, whatever the records say', () => {
    expect(planCorrections([], [alarm('told', 110, 120)], range)).toEqual(nothing);
  });

  it('loses an alarm that nobody was told of, if the records no longer have it', () => {
    const known = [alarm('found', 110, 120, { isHistory: true })];
    expect(planCorrections([], known, range)).toEqual({ ...nothing, removed: ['found'] });
  });

  it('of two alarms that were one keeps the one that receivers were told of', () => {
    const known = [alarm('found', 110, 120, { isHistory: true }), alarm('told', 130, 140)];
    expect(planCorrections([episode(110, 140)], known, range)).toEqual({
      ...nothing,
      changed: [{ id: 'told', episode: episode(110, 140) }],
      removed: ['found'],
    });
  });

  it('has two alarms where a record parts one, also if it came alone', () => {
    const known = [alarm('found', 110, 180, { isHistory: true })];
    const parts = [episode(110, 120), episode(150, 180)];
    expect(planCorrections(parts, known, { fromUs: 120, toUs: 120 })).toEqual({
      ...nothing,
      changed: [{ id: 'found', episode: episode(110, 120) }],
      added: [episode(150, 180)],
    });
  });

  it.each([
    ['goes on', alarm('open', 110, null)],
    ['ended because its rule was changed', alarm('ended', 110, 150, { endedWhy: 'rule_changed' })],
    ['is of the rule before its change', alarm('former', 110, 150, { isOfFormerRule: true })],
  ])('leaves an alarm that %s, and adds none beside it', (_, known) => {
    expect(planCorrections([episode(105, 130)], [known], range)).toEqual(nothing);
  });

  it('stays as it is where no record came late', () => {
    const known = [alarm('before', 10, 20, { isHistory: true }), alarm('after', 300, 310)];
    expect(planCorrections([episode(30, 40), episode(300, 320)], known, range)).toEqual(nothing);
  });
});

/** Episodes that do not meet, in the order of their times. */
const episodes = fc
  .uniqueArray(fc.integer({ min: 100, max: 200 }), { maxLength: 12 })
  .map((times) => {
    const sorted = times.toSorted((one, other) => one - other);
    return sorted.flatMap((began, at) => {
      const ended = sorted[at + 1];
      return at % 2 === 1 || ended === undefined ? [] : [episode(began, ended)];
    });
  });

it('is what the records have, once it is corrected, and a second time changes nothing', () => {
  fc.assert(
    fc.property(episodes, episodes, (before, after) => {
      const known = before.map(({ beganUs, endedUs }, at) =>
        alarm(String(at), beganUs, endedUs, { isHistory: true }),
      );
      const { changed, added, removed } = planCorrections(after, known, range);
      const changes = new Map(changed.map(({ id, episode: to }) => [id, to]));
      const now = [
        ...known
          .filter(({ id }) => !removed.includes(id))
          .map((one) => ({ ...one, ...changes.get(one.id) })),
        ...added.map((one, at) =>
          alarm(`added ${at}`, one.beganUs, one.endedUs, { isHistory: true }),
        ),
      ];
      const times = now.map(({ beganUs, endedUs }) => [beganUs, endedUs]);
      expect(times.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual(
        after.map(({ beganUs, endedUs }) => [beganUs, endedUs]),
      );
      expect(planCorrections(after, now, range)).toEqual(nothing);
    }),
  );
});
