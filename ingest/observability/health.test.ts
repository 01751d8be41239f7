import { describe, expect, it } from 'vitest';
import type { SinkProgress } from '../sinks/sink.ts';
import { storeSink, storeWorker } from '../sinks/store/descriptor.ts';
import { webhooksSink } from '../sinks/webhooks/descriptor.ts';
import { checkLog } from './health.ts';

const place = { segment: 1, offset: 0 };
const progress = (state: SinkProgress['state']): SinkProgress => ({
  state,
  position: place,
  saved: place,
  pendingBytes: 3 * 1024 ** 2,
  batches: 0,
  records: 0,
  retries: 0,
  quarantinedFrames: 0,
  quarantinedRecords: 0,
  skippedBytes: 0,
});
const logBytesMax = 100 * 1024 ** 2;

describe('the health of an edge', () => {
  it.each([
    [{ accepting: true, diskIsShort: false }, 'pass'],
    [{ accepting: true, diskIsShort: true }, 'warn'],
    [{ accepting: false, diskIsShort: false }, 'fail'],
    [{ accepting: false, diskIsShort: true }, 'fail'],
  ])('with a log %j is %s', (stats, status) => {
    expect(checkLog(stats)).toMatchObject({ status });
  });

  it('warns while the store takes no batches, and as long as nothing is reported', () => {
    const { check } = storeSink(storeWorker).health;
    expect(check([progress('running'), progress('running')], logBytesMax).status).toBe('pass');
    expect(check([progress('running'), progress('retrying')], logBytesMax).status).toBe('warn');
    expect(check([progress('running'), progress('halted')], logBytesMax)).toEqual({
      status: 'warn',
      output: 'batches fail for a reason that is not known: see the log',
    });
    expect(check(undefined, logBytesMax).status).toBe('warn');
  });

  it('tells how much of the log waits for webhooks', () => {
    const { check } = webhooksSink.health;
    expect(check(undefined, logBytesMax)).toEqual({ status: 'pass' });
    expect(check([progress('running')], logBytesMax)).toEqual({ status: 'pass' });
    expect(check([progress('retrying')], logBytesMax)).toEqual({
      status: 'warn',
      output: 'Postgres does not take messages; they hold 3 of 100 MiB of the log',
    });
    expect(check([progress('halted')], logBytesMax).output).toMatch(/a reason that is not known/);
  });
});
