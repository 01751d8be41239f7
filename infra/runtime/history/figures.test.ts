import { expect, it } from 'vitest';
import { Counter, createMetrics, Gauge, Histogram } from '../observability/metrics.ts';
import { between, joined, readFigures } from './figures.ts';
import { spans } from './spans.ts';

it('reads a process’s own metrics, by their labels', async () => {
  const about = { version: '', commit: '', description: '', build_time: '' };
  const registry = createMetrics(about);
  const registers = [registry];
  const name = 'millrace_acknowledged_messages_total';
  new Counter({ name, help: 'x', registers }).inc(3);
  const lag = { name: 'millrace_sink_oldest_unsent_seconds', help: 'x', labelNames: ['sink'] };
  new Gauge({ ...lag, registers }).set({ sink: 'senml' }, 1.5);
  new Counter({ name: 'millrace_of_no_interest_total', help: 'x', registers }).inc();
  const answered = new Counter({
    name: 'millrace_api_requests_answered_total',
    help: 'x',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  answered.inc({ route: '/things', method: 'GET', status: '200' }, 4);
  answered.inc({ route: '/orgs', method: 'GET', status: '200' });
  answered.inc({ route: '/health/ready', method: 'GET', status: '200' }, 90);
  const took = new Histogram({
    name: 'millrace_api_request_duration_seconds',
    help: 'x',
    labelNames: ['route', 'method'],
    buckets: [0.01],
    registers,
  });
  took.observe({ route: '/things', method: 'GET' }, 0.5);
  took.observe({ route: '/reader/senml/live', method: 'GET' }, 300);
  took.observe({ route: '/things/:id/next-message', method: 'GET' }, 30);
  const figures = await readFigures(registry);
  expect(figures).toEqual({
    messages: 3,
    'answers:200': 5,
    'answer:0.01': 0,
    'answer:+Inf': 1,
    'unsent_seconds:senml': 1.5,
    cpu: expect.any(Number),
    memory_bytes: expect.any(Number),
  });
  expect(figures['cpu']).toBeGreaterThan(0);
  expect(figures['memory_bytes']).toBeGreaterThan(0);
});

it('keeps what a count grew by, also where it began anew, and how a level stands', () => {
  const before = { messages: 100, records: 7, 'refused:malformed': 5, store_parts: 9 };
  const after = { messages: 130, records: 7, 'refused:malformed': 2, store_parts: 4 };
  expect(between(before, after, 15)).toEqual({
    seconds: 15,
    figures: { messages: 30, 'refused:malformed': 2, store_parts: 4 },
  });
});

it('joins intervals: sums of counts, the worst of levels', () => {
  const earlier = { seconds: 15, figures: { messages: 1, 'ack:0.01': 4, disk_free_bytes: 50 } };
  const later = { seconds: 16, figures: { messages: 2, disk_free_bytes: 40, store_parts: 3 } };
  expect(joined(earlier, later)).toEqual({
    seconds: 31,
    figures: { messages: 3, 'ack:0.01': 4, disk_free_bytes: 40, store_parts: 3 },
  });
  expect(joined(later, earlier).figures).toMatchObject({ disk_free_bytes: 40, store_parts: 3 });
});

it('has spans of whole intervals', () => {
  expect(spans).toEqual([15, 90, 360, 2_520]);
});
