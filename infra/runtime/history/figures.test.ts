import { expect, it } from 'vitest';
import { Counter, createMetrics, Gauge } from '../observability/metrics.ts';
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
  const figures = await readFigures(registry);
  expect(figures).toEqual({
    messages: 3,
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
