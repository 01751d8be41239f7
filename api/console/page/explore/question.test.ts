import { describe, expect, it } from 'vitest';
import { secondsOf } from './intervals.ts';
import {
  chartQuestion,
  clientLine,
  curlLine,
  exportQuestion,
  intervalFor,
  shownInterval,
  statisticsQuestions,
} from './question.ts';
import { readView } from './view.ts';

const thing = 'e5f6a7b8-9c0d-4e1f-8a2b-3c4d5e6f7a8b';
const senml = { format: 'senml', thing, name: `it's "a" $name` } as const;
const day = { from: 0, to: 86_400_000 };

describe('the question of a chart', () => {
  it('asks for as many points as there are pixels', () => {
    expect(chartQuestion(senml, readView({}), day, 800)).toEqual({
      publisher: thing,
      name: senml.name,
      from: '0000000',
      to: '86400000000000',
      points: 800,
      dir: 'asc',
    });
  });

  it('asks for intervals that are no narrower than a few pixels, and no more than a page', () => {
    for (const seconds of [60, 3_600, 86_400, 30 * 86_400, 365 * 86_400, 50 * 365 * 86_400]) {
      for (const pixels of [300, 1_200, 4_000]) {
        const interval = intervalFor(seconds, pixels);
        const buckets = seconds / secondsOf(interval);
        expect(buckets).toBeLessThanOrEqual(Math.min(998, pixels / 3));
      }
    }
  });

  it('asks for the interval that was chosen, or the next one of which an answer has room', () => {
    expect(shownInterval('5m', day, 800)).toEqual({ unit: 'minute', value: 5 });
    expect(shownInterval('1mo', day, 800)).toEqual({ unit: 'month', value: 1 });
    expect(shownInterval('1s', day, 800)).toEqual({ unit: 'minute', value: 5 });
    const asked = chartQuestion(senml, readView({ aggregate: 'avg', interval: '1h' }), day, 800);
    expect(asked).toMatchObject({ agg_interval: 'hour', agg_value: 1 });
  });

  it('is of all things of a group, by their average unless another aggregate is chosen', () => {
    const group = { ...senml, isOfGroup: true as const };
    const asked = chartQuestion(group, readView({}), day, 800);
    expect(asked).toMatchObject({ group_id: thing, agg_type: 'avg' });
    expect(asked).not.toHaveProperty('publisher');
    const sum = chartQuestion(group, readView({ aggregate: 'sum' }), day, 800);
    expect(sum).toMatchObject({ agg_type: 'sum' });
  });

  it('asks a file for the same intervals, and for no points', () => {
    const view = readView({ aggregate: 'max', gaps: 'connect', tz: 'UTC' });
    const { limit: _limit, ...asked } = chartQuestion(senml, view, day, 900);
    expect(exportQuestion(senml, view, day, 900)).toEqual(asked);
    expect(exportQuestion(senml, readView({}), day, 900)).not.toHaveProperty('points');
  });

  it('asks for statistics by one interval, and of SenML for those of numbers alone', () => {
    const asked = statisticsQuestions(senml, day);
    expect(asked.map(({ agg_type: type }) => type)).toEqual(['min', 'avg', 'max', 'count']);
    expect(asked[3]).toMatchObject({ publisher: thing, v: -Number.MAX_VALUE, comparator: 'ge' });
    const [json] = statisticsQuestions({ format: 'json', thing, name: 'motor.rpm' }, day);
    expect(json).toMatchObject({ filter: 'motor.rpm', agg_field: 'motor.rpm' });
    expect(json).not.toHaveProperty('v');
  });

  it('is quoted for a shell', () => {
    const question = chartQuestion(senml, readView({}), day, 800);
    expect(curlLine('http://localhost:8080', '/reader/senml', question)).toContain(
      `--data-urlencode 'name=it'\\''s "a" $name' \\\n`,
    );
    expect(clientLine('senml', question)).toContain(`--senml-name 'it'\\''s "a" $name' \\\n`);
  });
});
