import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { openRedis } from '../../infra/runtime/stores/redis.ts';
import { system } from '../support/system.ts';

const commandMsMax = 100;

describe('a process that is late itself', () => {
  it('does not take Redis for away while it starts', async () => {
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const redis = openRedis(system().redisUrl, logger, commandMsMax);
    // The first question is under way: nobody reads its answer in time.
    redis.once('connect', () => {
      const until = performance.now() + 3 * commandMsMax;
      while (performance.now() < until);
    });
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
    redis.disconnect();
    expect(lines).toEqual([]);
  });
});
