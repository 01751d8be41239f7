import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PastRecord } from '../../infra/runtime/alarms/history.ts';
import { onPaper, ruleOf, second } from '../../infra/runtime/alarms/testing.ts';
import { group, type Message, Sink, things } from '../../ingest/sinks/alarms/testing.ts';

const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const startS = 1_700_000_000;
const weekS = 7 * 86_400;
const everyS = 300;
const forS = 600;
const clearForS = 300;
const gapS = 1_200;
const minuteS = 60;
const hourS = 3_600;

/** How a thing sends: by how much its clock is wrong, when it is away, and whether it brings the records of that time. */
const habits = fc.record({
  clockS: fc.constantFrom(0, 0, 0, 30, -240, -1_800, -4_000, 290, 600),
  aways: fc.array(
    fc.record({
      fromS: fc.nat(weekS),
      forS: fc.integer({ min: 600, max: 8 * hourS }),
      brings: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  repeatsOneIn: fc.constantFrom(5, 50),
  delaysOneIn: fc.constantFrom(10, 100),
  values: fc.infiniteStream(fc.constantFrom(3, 5, 7, 8, 9, 9, 9, 12)),
  dice: fc.infiniteStream(fc.nat(999)),
});

type Sent = { receivedS: number; t: number; v: number };

/** All that a thing sends in the week, in the order in which it comes. */
function weekOf({ clockS, aways, repeatsOneIn, delaysOneIn, values, dice }: Habits): Sent[] {
  const sent: Sent[] = [];
  const roll = (oneIn: number) => (dice.next().value ?? 0) % oneIn === 0;
  for (let s = 0; s < weekS; s += everyS) {
    const t = startS + s + clockS;
    const v = values.next().value ?? 0;
    const away = aways.find(({ fromS, forS: awayS }) => s >= fromS && s < fromS + awayS);
    if (away !== undefined && !away.brings) continue;
    const backS = away === undefined ? s : away.fromS + away.forS;
    const receivedS = startS + backS + (roll(delaysOneIn) ? 7 * minuteS : 0);
    sent.push({ receivedS, t, v });
    if (roll(repeatsOneIn)) sent.push({ receivedS: receivedS + 2 * minuteS, t, v });
  }
  return sent.toSorted((a, b) => a.receivedS - b.receivedS);
}

type Habits = typeof habits extends fc.Arbitrary<infer One> ? One : never;

/** The records that may move the present, as the guide says it: no older one, no hour old, none of the future. */
function live(sent: readonly Sent[]): PastRecord[] {
  const records: PastRecord[] = [];
  let newest = -Infinity;
  for (const { receivedS, t, v } of sent) {
    if (t < newest || receivedS - t > hourS || t - receivedS > 5 * minuteS) continue;
    if (t > newest) records.push({ condition: 0, timeUs: t * second, value: v });
    newest = t;
  }
  return records;
}

it(`a week of a thousand things has the alarms that one finds on paper (FAULTS_SEED=${seed})`, () => {
  process.stdout.write(`FAULTS_SEED=${seed}\n`);
  const weeks = fc.sample(habits, { seed, numRuns: things.length }).map(weekOf);
  const rule = ruleOf({
    groupId: group,
    forUs: forS * second,
    clearForUs: clearForS * second,
    gapUs: gapS * second,
  });
  const sink = new Sink([rule]);
  const ticks = new Map<number, Message[]>();
  for (const [thing, week] of weeks.entries()) {
    for (const { receivedS, t, v } of week) {
      const messages = ticks.get(receivedS) ?? [];
      ticks.set(receivedS, messages);
      messages.push({ thing, records: [{ n: 't', t, v }] });
    }
  }
  for (const [at, [receivedS, messages]] of [...ticks].toSorted(([a], [b]) => a - b).entries()) {
    sink.take(messages, receivedS);
    // An edge is restarted each day.
    if (at % 400 === 399) sink.restart();
  }
  let told = 0;
  for (const [thing, week] of weeks.entries()) {
    const expected = onPaper(live(week), forS, clearForS, gapS).flatMap(([began, fired, ended]) => [
      'fired',
      began * second,
      fired * second,
      ...(ended === undefined ? [] : ['ended', ended * second]),
    ]);
    expect(sink.told(rule.id, things[thing] ?? '')).toEqual(expected);
    told += expected.filter((one) => typeof one === 'string').length;
  }
  const { evaluated, late, future } = sink.evaluation.counts;
  process.stdout.write(
    `${evaluated} values, ${late} late, ${future} future, ${told} transitions\n`,
  );
  expect(told).toBeGreaterThan(0);
});
