import { join } from 'node:path';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { appendLine } from '../log/files.ts';
import type { FrameFormat } from '../log/format.ts';
import type { Damage } from '../log/reader.ts';

/** Writes down, beside the log, what a sink could not read of it. */
export async function noteDamage(
  directory: string,
  logger: Logger,
  format: FrameFormat,
  { at, bytes, frames }: Damage,
): Promise<void> {
  const entry = { sink: format, ...at, bytes, frames };
  logger.error(entry, 'lost acknowledged frames: the log is damaged');
  await appendLine(join(directory, 'damaged.ndjson'), { at: new Date().toISOString(), ...entry });
}
