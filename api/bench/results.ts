import { readFile, stat } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { isAbsent } from '../../infra/start/files.ts';

const Figure = Type.Object({
  name: Type.String({ minLength: 1 }),
  /** Null where there was nothing to measure: JSON has no NaN. */
  value: Type.Union([Type.Number(), Type.Null()]),
  unit: Type.String(),
  /** Empty where none was set. */
  goal: Type.String(),
  reached: Type.Boolean(),
  /** What a system promises when it answers. */
  note: Type.Optional(Type.String()),
});

const Run = Type.Object({
  at: Type.String({ format: 'date-time' }),
  commit: Type.String(),
  machine: Type.String(),
  node: Type.String(),
  clickhouse: Type.String(),
  /** How fast the machine was just then. */
  jsonParseMBs: Type.Number(),
  /** By scenario. */
  results: Type.Record(Type.String(), Type.Array(Figure)),
});

/** Every run of the benchmarks, the oldest first. */
export const BenchResults = Type.Object({ runs: Type.Array(Run) });

/** Reads what the benchmarks have appended to this file, again only once it has changed; as JSON. */
export function openResults(path: string): () => Promise<string> {
  let readAt = 0;
  let text = write([]);
  return async () => {
    try {
      const { mtimeMs } = await stat(path);
      if (mtimeMs !== readAt) {
        text = write((await readFile(path, 'utf8')).split('\n'));
        readAt = mtimeMs;
      }
    } catch (error) {
      if (!isAbsent(error)) throw error;
      readAt = 0;
      text = write([]);
    }
    return text;
  };
}

/** Leaves out the lines that are broken, as the last one is while it is written. */
function write(lines: readonly string[]): string {
  const runs = lines.flatMap((line) => {
    try {
      const run: unknown = JSON.parse(line);
      return Value.Check(Run, run) ? [Value.Clean(Run, run)] : [];
    } catch {
      return [];
    }
  });
  return JSON.stringify({ runs });
}
