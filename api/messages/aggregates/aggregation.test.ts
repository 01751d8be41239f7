import { describe, expect, it } from 'vitest';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import { aggregationOf, fieldsOf } from './aggregation.ts';

const page: ReaderQuery = { limit: 10, offset: 0, dir: 'desc' };
const hourly: ReaderQuery = { ...page, agg_type: 'avg', agg_interval: 'hour' };

it('is none where none is asked for', () => {
  expect(aggregationOf('senml', page)).toBeUndefined();
});

it('has its defaults', () => {
  expect(aggregationOf('senml', hourly)).toEqual({
    type: 'avg',
    interval: 'hour',
    count: 1,
    fields: [],
    fill: 'none',
    zone: undefined,
  });
});

it('spells a zone as ClickHouse does', () => {
  expect(aggregationOf('senml', { ...hourly, tz: 'europe/berlin' })?.zone).toBe('Europe/Berlin');
});

it('names each field once, whether in agg_field or in agg_fields', () => {
  expect(fieldsOf({ ...page, agg_field: ['a', 'b', ''], agg_fields: 'a' })).toEqual(['a', 'b']);
});

it('of SenML is of the name in agg_field, or of all', () => {
  const fields = (agg_field: string[]) => aggregationOf('senml', { ...hourly, agg_field })?.fields;
  expect(fields(['temp'])).toEqual(['temp']);
  expect(fields(['value'])).toEqual([]);
  expect(() => fields(['temp', 'hum'])).toThrow('agg_field: SenML is of one name');
});

describe('refuses', () => {
  it('half of an aggregation', () => {
    expect(() => aggregationOf('senml', { ...page, agg_type: 'avg' })).toThrow('agg_interval is');
    expect(() => aggregationOf('senml', { ...page, agg_interval: 'day' })).toThrow('agg_type is');
  });

  it.each<[Partial<ReaderQuery>, string]>([
    [{ cursor: 'x' }, 'cursor: buckets have none'],
    [{ agg_interval: 'year', agg_value: 1_000 }, 'agg_value: such an interval is too long'],
    [{ tz: '+01:00' }, 'tz is no time zone'],
    [{ tz: 'Nowhere/Town' }, 'tz is no time zone'],
  ])('%j: %s', (change, message) => {
    expect(() => aggregationOf('senml', { ...hourly, ...change })).toThrow(message);
  });

  it('JSON without a field', () => {
    expect(() => aggregationOf('json', hourly)).toThrow('agg_field is missing');
  });
});
