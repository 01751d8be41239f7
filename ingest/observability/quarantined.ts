import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Quarantined } from '../../infra/runtime/history/sql.ts';
import { limits } from '../limits.ts';

/** A line of the quarantine, as the sinks write it. Its payload is not told. */
const Line = Type.Object({
  at: Type.String(),
  sink: Type.String(),
  segment: Type.Integer(),
  offset: Type.Integer(),
  records: Type.Optional(Type.Integer()),
  code: Type.String(),
  reason: Type.String(),
});

/** Gives how to ask what was quarantined last: the newest first. The file is read where it has changed. */
export function followQuarantine(directory: string): () => Promise<readonly Quarantined[]> {
  const path = join(directory, 'quarantine.ndjson');
  let read = { bytes: 0, changedMs: 0 };
  let newest: readonly Quarantined[] = [];

  return async () => {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return (newest = []);
    const { size: bytes, mtimeMs: changedMs } = found;
    if (bytes === read.bytes && changedMs === read.changedMs) return newest;
    newest = await readNewest(path, Math.max(0, bytes - limits.quarantineReadBytesMax));
    read = { bytes, changedMs };
    return newest;
  };
}

async function readNewest(path: string, start: number): Promise<Quarantined[]> {
  const found: Quarantined[] = [];
  const lines = createInterface({ input: createReadStream(path, { start }) });
  for await (const text of lines) {
    const line = parsed(text);
    if (line === undefined) continue;
    found.push(line);
    if (found.length > limits.quarantineTold) found.shift();
  }
  return found.toReversed();
}

/** Undefined: a part of a line, where the reading began or where the edge was killed. */
function parsed(text: string): Quarantined | undefined {
  try {
    const line = Value.Parse(Line, JSON.parse(text));
    const { at, sink, records, code, reason, segment, offset } = line;
    const short = reason.slice(0, limits.quarantineReasonCharsMax);
    const counted = records === undefined ? {} : { records };
    return { at, sink, ...counted, code, reason: short, segment, offset };
  } catch {
    return undefined;
  }
}
