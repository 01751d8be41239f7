import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { createDisk, type Disk } from '../disk.ts';
import type { FrameFormat, Position } from '../format.ts';
import type { Waiter } from '../group.ts';
import { Log, type LogLimits } from '../log.ts';
import { createPositions } from '../positions.ts';
import { type Damage, LogReader } from '../reader.ts';
import { appendTo, payloadOf } from './append.ts';

const sinks = 2;
const logger = pino({ level: 'silent' });
export const small: LogLimits = {
  segmentBytes: 16 * 1024,
  logBytesMax: 1024 * 1024,
  reserveBytes: 4 * 16 * 1024,
  groupBytesMax: 2 * 1024,
  groupsMax: 3,
};

/** Everything a sink would read from there on. */
async function readFrom(
  directory: string,
  log: Log,
  format: FrameFormat,
  from: Position,
): Promise<{ texts: string[]; damage: Damage[]; end: Position }> {
  const damage: Damage[] = [];
  const reader = new LogReader({
    directory,
    formats: [format],
    segmentBytes: small.segmentBytes,
    committed: log.positions.committed,
    onDamage: async (one) => void damage.push(one),
    windowBytes: 4 * 1024,
  });
  const texts: string[] = [];
  let position = from;
  for (;;) {
    const batch = await reader.read(position, { bytesMax: 4 * 1024, framesMax: 7 });
    if (batch === undefined) return { texts, damage, end: position };
    texts.push(...batch.body.toString().split(';').slice(0, -1));
    position = batch.to;
  }
}

async function segmentPathsIn(directory: string): Promise<string[]> {
  const names = (await fs.readdir(directory)).filter((name) => name.endsWith('.segment'));
  return names.toSorted().map((name) => join(directory, name));
}

/** Gives the waiter of a text's message. */
const notingIn =
  (acknowledged: string[], refused: string[]) =>
  (text: string): Waiter => ({
    afterCommit: (isDurable) => void (isDurable ? acknowledged : refused).push(text),
  });

/** A log in a directory of its own for each test of a file, and what became of each message. */
export function useLog() {
  let directory: string;
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const waiterOf = notingIn(acknowledged, refused);

  beforeEach(async () => {
    directory = await fs.mkdtemp(join(tmpdir(), 'millrace-log-test-'));
    acknowledged.length = 0;
    refused.length = 0;
  });

  afterEach(clear);

  /** Tried again: what a log that crashed had begun may make one more file. */
  function clear(): Promise<void> {
    return fs.rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }

  function open(disk: Disk = createDisk({ dataSync: true }), limits = small): Promise<Log> {
    return Log.open({
      directory,
      disk,
      limits,
      logger,
      positions: createPositions(sinks),
    });
  }

  /** No sink needs an older segment. */
  function releaseBefore(log: Log, segment: number): void {
    for (let sink = 0; sink < sinks; sink++) log.positions.release(sink, segment);
  }

  /** Appends and waits until the waiter was told, or tells why it was not taken. */
  async function put(log: Log, text: string, format: FrameFormat = 'senml') {
    const outcome = appendTo(log, waiterOf(text), payloadOf(text, format));
    // At least once: a caller that tries until the disk has done something lets it.
    do await new Promise(setImmediate);
    while (outcome === 'appended' && !acknowledged.includes(text) && !refused.includes(text));
    return outcome;
  }

  return {
    directory: () => directory,
    acknowledged,
    refused,
    clear,
    open,
    releaseBefore,
    waiterOf,
    put,
    readAll: (log: Log, format: FrameFormat = 'senml', from = { segment: 0, offset: 0 }) =>
      readFrom(directory, log, format, from),
    segmentPaths: () => segmentPathsIn(directory),
  };
}
