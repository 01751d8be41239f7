import { glob, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Repairs the deduplication log after a kill of the engine.
 *
 * For a table with a deduplication window, ClickHouse notes a part in `deduplication_logs` first and
 * renames it into place after that (measured: 0.25 ms later). Killed in between, it would refuse the
 * same INSERT as a duplicate ever after, although its rows are nowhere. Parts of a table are noted one
 * at a time, so only the very last note can be without its part: that one is removed, and with it a line
 * a power loss has torn. To be called before the engine opens the directory.
 *
 * @returns the parts whose note was removed.
 */
export async function repairDeduplication(directory: string): Promise<string[]> {
  const removed: string[] = [];
  for await (const logs of glob('store/*/*/deduplication_logs', { cwd: directory })) {
    const part = await repairTable(join(directory, logs));
    if (part !== undefined) removed.push(part);
  }
  return removed;
}

async function repairTable(logs: string): Promise<string | undefined> {
  const numbers = (await readdir(logs))
    .map((name) => Number(/^deduplication_log_(\d+)\.txt$/.exec(name)?.[1]))
    .filter((number) => Number.isInteger(number))
    .toSorted((one, other) => other - one);
  for (const number of numbers) {
    const path = join(logs, `deduplication_log_${number}.txt`);
    const text = await readFile(path, 'latin1');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const lastAt = whole.slice(0, -1).lastIndexOf('\n') + 1;
    const [operation, part = ''] = whole.slice(lastAt).split('\t');
    const isKept = operation !== '1' || (await hasPart(dirname(logs), part));
    const bytes = isKept ? whole.length : lastAt;
    if (bytes < text.length) await cut(path, bytes);
    if (!isKept) return part;
    // A new log may have been begun just before the kill: then the last note is in the one before.
    if (whole !== '') return undefined;
  }
  return undefined;
}

/** Whether a part, or one it was merged or changed into, stands in the table's directory. */
async function hasPart(table: string, part: string): Promise<boolean> {
  const wanted = readPart(part);
  if (wanted === undefined) return true;
  const names = await readdir(table);
  return names.some((name) => {
    const found = readPart(name);
    return (
      found !== undefined &&
      found.partition === wanted.partition &&
      found.min <= wanted.min &&
      found.max >= wanted.max
    );
  });
}

/** `<partition>_<min block>_<max block>_<level>[_<mutation>]` */
function readPart(name: string): { partition: string; min: number; max: number } | undefined {
  const match = /^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/.exec(name);
  if (match?.[1] === undefined) return undefined;
  return { partition: match[1], min: Number(match[2]), max: Number(match[3]) };
}

async function cut(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
