import { describe, expect, it } from 'vitest';
import { type Config, linesIn, withInPart, withMember } from './profile-config.ts';

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
});
