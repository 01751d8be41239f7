import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { limits } from '../../../ingest/limits.ts';
import type { Disk } from '../../../ingest/log/disk.ts';
import { frameBytes } from '../../../ingest/log/format.ts';
import { Log } from '../../../ingest/log/log.ts';
import { createPositions } from '../../../ingest/log/positions.ts';
import { type Figure, info } from '../../harness/figures.ts';
import { median } from '../../../test/support/statistics.ts';
import { amount } from '../../harness/load/durations.ts';

const messagesPerCommit = 64;
const payloadBytes = 435;
const commits = amount(20_000, 2_000);
const rounds = 3;

/** A disk that writes nothing: so only the log's own work is measured. */
const noDisk: Disk = {
  freeBytes: () => Promise.resolve(Number.MAX_SAFE_INTEGER),
  list: () => Promise.resolve([]),
  allocate: () => Promise.resolve(),
  setAside: (path) => Promise.resolve(path),
  openSegment: () =>
    Promise.resolve({
      write: (_buffer, _length, _position, done) => done(null),
      truncate: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
  remove: () => Promise.resolve(),
};

/** A message of ten records, as its frame in the log, appended and committed with others. */
export async function appending(): Promise<Figure[]> {
  const payload = Buffer.alloc(payloadBytes, 7);
  let committed: () => void = () => undefined;
  // Its lock and its id are real files.
  const directory = mkdtempSync(join(tmpdir(), 'millrace-append-'));
  const log = await Log.open({
    directory,
    disk: noDisk,
    limits: { ...limits, logBytesMax: Number.MAX_SAFE_INTEGER, reserveBytes: 0 },
    logger: pino({ level: 'silent' }),
    positions: createPositions(1),
  });
  const waiter = { afterCommit: () => committed() };
  const perMessage: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    for (let commit = 0; commit < commits; commit++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      committed = resolve;
      for (let at = 0; at < messagesPerCommit; at++) {
        const group = log.begin(frameBytes(payload.length));
        if (group.kind !== 'group') throw new Error('the log took no message');
        const { payloadAt } = group;
        group.frame('senml', 10, payloadAt + payload.copy(group.buffer, payloadAt));
        log.append(group, waiter);
      }
      await promise;
    }
    const tookMs = performance.now() - startedAt;
    perMessage.push((tookMs * 1e6) / (commits * messagesPerCommit));
  }
  await log.close();
  rmSync(directory, { recursive: true });
  return [info('S10 appended to the log and committed, without a disk', median(perMessage), 'ns')];
}
