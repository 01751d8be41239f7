/** Files beside the log, for operators: frames that can't be delivered, and damage. */
import { join } from 'node:path';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { appendLine } from '../log/files.ts';
import type { Position } from '../log/format.ts';
import type { SharedPositions } from '../log/positions.ts';
import type { Damage } from '../log/reader.ts';

/** Writes a frame that is refused for good to the quarantine. */
export async function quarantine(
  directory: string,
  sink: string,
  { segment, offset }: Position,
  frame: { records?: number; code: string; reason: string; payload: string | undefined },
): Promise<void> {
  await appendLine(join(directory, 'quarantine.ndjson'), {
    at: new Date().toISOString(),
    sink,
    segment,
    offset,
    ...frame,
  });
}

/** Notes what can't be read back of the log, when the first sink finds it. */
export async function noteDamage(
  { directory, positions, logger }: LogNotes,
  { at, bytes, frames }: Damage,
): Promise<void> {
  if (!positions.noteDamage(at, frames)) return;
  const entry = { ...at, bytes, frames };
  logger.error(entry, 'lost acknowledged frames: the log is damaged');
  await appendLine(join(directory, 'damaged.ndjson'), { at: new Date().toISOString(), ...entry });
}

type LogNotes = {
  directory: string;
  positions: Pick<SharedPositions, 'noteDamage'>;
  logger: Logger;
};
