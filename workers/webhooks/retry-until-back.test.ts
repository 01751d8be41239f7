import { Writable } from 'node:stream';
import { DatabaseError } from 'pg';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { NotReached } from '../../infra/runtime/network/failure.ts';
import { retryUntilBack } from './retry-until-back.ts';

it('what is asked again until it succeeds is told once for each kind of reason, and by it', async () => {
  const lines: { level: number; msg: string; code: string }[] = [];
  const log = pino(
    new Writable({
      write(line, _encoding, done) {
        lines.push(JSON.parse(String(line)));
        done();
      },
    }),
  );
  const noTable = Object.assign(new DatabaseError('no table', 0, 'error'), { code: '42P01' });
  const failures = [new NotReached('away'), new NotReached('away'), noTable].values();
  const ask = async () => {
    const { value: failure } = failures.next();
    if (failure !== undefined) throw failure;
    return 'answer';
  };
  expect(await retryUntilBack(ask, log, new AbortController().signal)).toBe('answer');
  expect(lines.map(({ level, msg, code }) => [level, code, msg])).toEqual([
    [40, 'NotReached', 'webhooks wait: Postgres is away'],
    [50, '42P01', 'webhooks wait for a reason that is not known'],
  ]);
});
