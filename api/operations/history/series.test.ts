import { expect, it } from 'vitest';
import { momentOf, quantileMs, seriesOf } from './series.ts';

const edge = (figures: Record<string, number>, seconds = 10) =>
  ({ kind: 'edge', seconds, figures }) as const;

it('adds up rates of processes, and takes the worst of what they share', () => {
  const { figures } = momentOf([
    edge({ messages: 100, 'refused:malformed': 20, 'unsent_seconds:senml': 3, log_bytes: 10 }),
    edge({ messages: 10, 'unsent_seconds:senml': 1, log_bytes: 5, disk_free_bytes: 7 }, 5),
    { kind: 'api', seconds: 10, figures: { disk_free_bytes: 9, store_parts: 4, cpu: 2 } },
    { kind: 'api', seconds: 10, figures: { store_parts: 4, memory_bytes: 100 } },
  ]);
  expect(Object.fromEntries(figures)).toEqual({
    messages_per_second: 12,
    'refused_per_second:malformed': 2,
    'unsent_seconds:senml': 3,
    log_bytes: 15,
    disk_free_bytes: 7,
    store_parts: 4,
  });
});

it('has the quantiles of all acks together', () => {
  const { figures } = momentOf([
    edge({ 'ack:0.005': 40, 'ack:0.01': 50, 'ack:+Inf': 50 }),
    edge({ 'ack:0.005': 50, 'ack:0.01': 50, 'ack:+Inf': 50 }),
  ]);
  // 90 of 100 between 2.5 and 5 ms, and the other ten evenly between 5 and 10 ms.
  expect(figures.get('ack_p99_ms')).toBeCloseTo(9.5);
  expect(figures.get('ack_p50_ms')).toBeCloseTo(3.89, 2);
  expect(figures.has('answer_p99_ms')).toBe(false);
  expect(quantileMs(new Map([['+Inf', 1]]), 0.5)).toBe(10_000);
  expect(quantileMs(new Map(), 0.5)).toBeUndefined();
});

it('has what the API answered, by status, and how long it took', () => {
  const { figures } = momentOf([
    {
      kind: 'api',
      seconds: 10,
      figures: { 'answers:200': 30, 'answers:503': 10, 'answer:0.5': 40, 'answer:+Inf': 40 },
    },
    { kind: 'api', seconds: 10, figures: { 'answers:200': 20 } },
  ]);
  expect(figures.get('answers_per_second:200')).toBe(5);
  expect(figures.get('answers_per_second:503')).toBe(1);
  // All lie between 250 and 500 ms.
  expect(figures.get('answer_p50_ms')).toBe(375);
});

it('tells 0 of what is counted, nothing of what nobody measured', () => {
  const busy = momentOf([edge({ messages: 20, 'refused:too_many': 10, store_parts: 1 })]);
  const quiet = momentOf([edge({})]);
  const silent = momentOf([]);
  const series = seriesOf(quiet, [busy, quiet, silent]);
  const of = (name: string) => series.find(({ figure }) => figure === name);
  expect(of('messages_per_second')).toMatchObject({ now: 0, values: [2, 0, null] });
  expect(of('refused_per_second')).toMatchObject({ of: 'too_many', now: 0, values: [1, 0, null] });
  expect(of('store_parts')).toMatchObject({ now: null, values: [1, null, null] });
  expect(of('ack_p99_ms')).toMatchObject({ now: null, values: [null, null, null] });
  expect(seriesOf(quiet, undefined)[0]).not.toHaveProperty('values');
});

it('is in the same order, whatever came first', () => {
  const [one, other] = ['refused:malformed', 'refused:too_many'].map((key) =>
    momentOf([edge({ [key]: 1 })]),
  );
  if (one === undefined || other === undefined) throw new Error('there are two');
  const order = (...moments: (typeof one)[]) =>
    seriesOf(momentOf([]), moments).map(({ figure, of }) => [figure, of]);
  expect(order(other, one)).toEqual(order(one, other));
});
