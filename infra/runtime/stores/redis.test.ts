import { describe, expect, it } from 'vitest';
import { readSentinelUrl } from './redis.ts';

describe('the URL of Redis', () => {
  it('names sentinels, and the Redis that they are asked for', () => {
    expect(
      readSentinelUrl(
        'redis+sentinel://:s%40fe@one:26380,two,[::1]:26381/mine/3?sentinel_password=x',
      ),
    ).toMatchObject({
      sentinels: [
        { host: 'one', port: 26_380 },
        { host: 'two', port: 26_379 },
        { host: '::1', port: 26_381 },
      ],
      name: 'mine',
      username: undefined,
      password: 's@fe',
      db: 3,
      sentinelPassword: 'x',
    });
  });

  it('asks for TLS to the sentinels and to Redis', () => {
    const read = readSentinelUrl('rediss+sentinel://user:pass@one/mine');
    expect(read).toMatchObject({ username: 'user', tls: {}, enableTLSForSentinelMode: true });
    expect(readSentinelUrl('redis+sentinel://one/mine')).not.toHaveProperty('tls');
  });

  it('is of one Redis otherwise', () => {
    expect(readSentinelUrl('redis://:secret@one:6379/1')).toBeUndefined();
    expect(readSentinelUrl('rediss://one')).toBeUndefined();
  });
});
