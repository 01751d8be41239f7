import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KnownAlarm, type PastEpisode, planCorrections, widened } from './plan.ts';

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

describe('the range of a correction', () => {
  it('is as wide as what lies partly in it, and what meets that', () => {
    const all = [alarm('before', 10, 60), alarm('meets', 60, 110), alarm('apart', 220, 230)];
    expect(widened(range, [...all, episode(190, 210), episode(205, 215)])).toEqual({
      fromUs: 10,
      toUs: 215,
    });
  });

  it('begins with an alarm that goes on, and does not go on with it', () => {
    const all = [alarm('open', 90, null), alarm('later', 300, 310)];
    expect(widened(range, all)).toEqual({ fromUs: 90, toUs: 200 });
  });

  it('follows a line of two hundred thousand alarms that meet', () => {
    const line = Array.from({ length: 200_000 }, (_, at) => episode(100 - at, 101 - at));
    expect(widened(range, line)).toEqual({ fromUs: -199_899, toUs: 200 });
  });

  it('is what each alarm that lies partly in it adds, until none does', () => {
    const times = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40 }));
    const some = fc.array(fc.tuple(times, fc.boolean()), { maxLength: 20 });
    fc.assert(
      fc.property(some, (drawn) => {
        const all = drawn.map(([[began, length], goesOn]) =>
          alarm('', began, goesOn ? null : began + length),
        );
        let { fromUs, toUs } = range;
        for (let looks = 0; looks <= all.length; looks++) {
          for (const { beganUs, endedUs } of all) {
            if (beganUs > toUs || (endedUs ?? Infinity) < fromUs) continue;
            fromUs = Math.min(fromUs, beganUs);
            toUs = Math.max(toUs, endedUs ?? toUs);
          }
        }
        expect(widened(range, all)).toEqual({ fromUs, toUs });
      }),
    );
  });
});

it('plans a hundred thousand alarms that come, go and stay', () => {
  const count = 100_000;
  const wide = { fromUs: 0, toUs: 10 * count };
  const known = Array.from({ length: count }, (_, at) =>
    alarm(String(at), 10 * at, 10 * at + 5, { isHistory: true }),
  );
  const half = known
    .filter((_, at) => at % 2 === 0)
    .map(({ beganUs }) => episode(beganUs, beganUs + 5));
  const others = half.map(({ beganUs }) => episode(beganUs + 16, beganUs + 18));
  const all = [...half, ...others].toSorted((one, other) => one.beganUs - other.beganUs);
  const { changed, added, removed } = planCorrections(all, known, wide);
  expect([changed.length, added.length, removed.length]).toEqual([0, count / 2, count / 2]);
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
