import { readFile, stat } from 'node:fs/promises';
import { Type } from 'typebox';
import { about } from '../../schemas/http/common.ts';
import { Value } from 'typebox/value';
import { isAbsent } from '../../infra/runtime/process/files.ts';

const Figure = Type.Object({
  name: about(Type.String({ minLength: 1 }), 'What was measured.', 'records a second'),
  // JSON has no NaN.
  value: about(
    Type.Union([Type.Number(), Type.Null()]),
    'Value. `null`: there was nothing to measure.',
    100000,
  ),
  unit: about(Type.String(), 'Unit of the value.', '1/s'),
  goal: about(Type.String(), 'Goal. Empty: none was set.', '≥ 100,000'),
  reached: about(Type.Boolean(), 'Whether the goal was reached.', true),
  note: Type.Optional(about(Type.String(), 'What a system promises when it answers.')),
  spread: Type.Optional(
    about(
      // OpenAPI's schemas know no tuples.
      Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }),
      'Lowest and highest of the rounds whose median the value is.',
      [90000, 110000],
    ),
  ),
});

const Run = Type.Object({
  at: about(Type.String({ format: 'date-time' }), 'When it ran.', '2026-11-21T10:00:00.000Z'),
  commit: about(Type.String(), 'Commit that ran.', 'f244851'),
  machine: about(Type.String(), 'Machine that it ran on.', '2 cores'),
  node: about(Type.String(), 'Version of Node.', '22.23.3'),
  clickhouse: about(Type.String(), 'Version of ClickHouse.', '26.1'),
  jsonParseMBs: about(
    Type.Number(),
    'How fast the machine was just then: JSON parsed, in MB a second.',
    200,
  ),
  results: about(Type.Record(Type.String(), Type.Array(Figure)), 'Figures, by scenario.', {}),
});

/** Every run of the benchmarks, the oldest first. */
export const BenchResults = Type.Object({
  runs: about(Type.Array(Run), 'Runs, the oldest first.'),
});

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
