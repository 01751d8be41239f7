import { describe, expect, it } from 'vitest';
import { type Config, configIn, linesIn, withInPart, withMember } from './profile-config.ts';

describe('the config of a profile in its form', () => {
  const config: Config = { write: false, transformer: { data_field: 'data' } };

  it('takes a member, and is without one that was emptied', () => {
    expect(withMember(config, 'content_type', 'application/json')).toEqual({
      ...config,
      content_type: 'application/json',
    });
    expect(withMember(config, 'write', undefined)).toEqual({ transformer: { data_field: 'data' } });
  });

  it('is without a part that has nothing left', () => {
    const timed = withInPart(config, 'transformer', { time_field: 'at' });
    expect(timed).toEqual({ write: false, transformer: { data_field: 'data', time_field: 'at' } });
    const emptied = { time_field: undefined, data_field: undefined };
    expect(withInPart(timed, 'transformer', emptied)).toEqual({ write: false });
  });

  it('has one path of each line', () => {
    expect(linesIn(' a.b \n\nc\n')).toEqual(['a.b', 'c']);
    expect(linesIn(' \n')).toBeUndefined();
  });

  it.each([
    ['{"transformer": {"data_filters": 5}}', 'transformer.data_filters must be a list of texts'],
    ['{"transformer": {"data_filters": ["a", 5]}}', 'transformer.data_filters must be a list'],
    ['{"transformer": {"data_field": {}}}', 'transformer.data_field must be a text'],
    ['{"transformer": null}', 'transformer must be an object'],
    ['{"line": "room"}', 'line must be an object'],
    ['{"gateway": {"device_level": "2"}}', 'gateway.device_level must be a number'],
    ['{"gateway": [{"create_things": true}]}', 'gateway must be an object'],
    ['{"write": "no"}', 'write must be true or false'],
    ['{"content_type": 5}', 'content_type must be a text'],
  ])('is not taken from %s', (text, problem) => {
    expect(() => configIn(text, 'config')).toThrow(problem);
  });

  it('is taken with members that have no field: the API says what it thinks of them', () => {
    expect(configIn('{"colour": 5, "line": {"tags": []}}', 'config')).toEqual({
      colour: 5,
      line: { tags: [] },
    });
  });
});
