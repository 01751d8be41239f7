import type { Call } from '../invocation/call.ts';
import { RowWriter } from '../terminal/output/row-writer.ts';
import type { Row } from '../terminal/output/rows.ts';
import { counted, startProgress } from '../terminal/progress.ts';
import { sizeOf } from '../input/files.ts';
import { isId, UsageError } from '../input/usage.ts';
import { checkFile, type CheckedFile } from './check.ts';
import { BatchError, createBatch } from './create.ts';
import type { Entry } from './entry.ts';
import type { Kind } from './kind.ts';
import { readOutcomes } from './outcomes.ts';

/** The size of a batch, which is created as a whole or not at all. */
const batchEntriesMax = 500;
const batchCharsMax = 2 * 1024 * 1024;

/** How many entries of all parents wait for their batches to fill. */
const waitingEntriesMax = 5_000;

/** The longest table for people to read. */
const tableRowsMax = 100;

/** Creates the entries of a file: checks the whole file first, then creates batch after batch. */
export async function provision<New, Shown extends { id: string; name: string }>(
  call: Call,
  kind: Kind<New, Shown>,
): Promise<void> {
  const { file, parentId, token } = readArguments(call, kind);
  await sizeOf(file);
  const client = call.as('things', token);
  const checked = await checkFile(kind, client, file, parentId);
  mustBeRight(checked, kind.what);

  const rows = new ShownRows(call, kind.columns);
  const progress = await startProgress(call.context.stderr, kind.what, checked.count, 'rows');
  let made = 0;
  let found = 0;
  try {
    for await (const batch of batches(kind, file, parentId)) {
      for (const { shown, isNew } of await createBatch(
        kind,
        client,
        batch.parentId,
        batch.entries,
      )) {
        if (isNew) made += 1;
        else found += 1;
        await rows.add({ ...shown });
      }
      progress.add(batch.entries.length);
    }
  } catch (error) {
    progress.stop();
    await rows.end();
    throw stoppedAfter(error, kind.one, made + found);
  }
  progress.stop();
  await rows.end();
  const before = found === 0 ? '' : `, ${found} there already`;
  call.context.stderr.write(`created ${counted(made, kind.one)}${before}\n`);
}

/** `FILE [PARENT] [TOKEN]`: a single argument after the file is a parent if it is an id, else a token. */
function readArguments(call: Call, kind: { parent: string }) {
  const file = call.text('file');
  const first = call.find(`${kind.parent}|token`);
  const second = call.find('token');
  if (first === undefined) return { file, parentId: undefined, token: undefined };
  if (isId(first)) return { file, parentId: first, token: second };
  if (second !== undefined) throw new UsageError(`${kind.parent} is not an id`);
  return { file, parentId: undefined, token: first };
}

function mustBeRight({ count, problems, problemCount }: CheckedFile, what: string): void {
  if (problemCount === 0 && count > 0) return;
  if (problemCount === 0) throw new BatchError([{ line: 1, reason: `the file holds no ${what}` }]);
  const more = problemCount - problems.length;
  const lines = problems.map(({ line, reason }) => `line ${line}: ${reason}`);
  throw new FileProblems([
    `nothing was created, because ${problemCount === 1 ? 'a line is' : `${problemCount} lines are`} wrong:`,
    ...lines,
    ...(more === 0 ? [] : [`and ${more} more`]),
  ]);
}

/** A file has faults: its lines with the reasons. */
export class FileProblems extends Error {
  override readonly name = 'FileProblems';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

function stoppedAfter(error: unknown, one: string, done: number): unknown {
  const state =
    done === 0
      ? 'nothing was created'
      : `${counted(done, one)} made so far; run the same again to go on, nothing is created twice`;
  if (error instanceof BatchError) {
    return new FileProblems([
      ...error.problems.slice(0, 20).map(({ line, reason }) => `line ${line}: ${reason}`),
      state,
    ]);
  }
  return done > 0 && error instanceof Error ? new FileProblems([error.message, state]) : error;
}

/** The entries of the file, each batch of one parent. */
async function* batches<New, Shown extends { id: string; name: string }>(
  kind: Kind<New, Shown>,
  file: string,
  parent: string | undefined,
): AsyncGenerator<{ parentId: string; entries: Entry<New>[] }> {
  const waiting = new Map<string, { entries: Entry<New>[]; chars: number }>();
  let count = 0;
  for await (const outcome of readOutcomes(kind, file, parent)) {
    if (outcome.kind === 'wrong') {
      throw new BatchError([{ line: outcome.line, reason: 'the file has changed meanwhile' }]);
    }
    const parentId = outcome.entry.parentId.toLowerCase();
    const batch = waiting.get(parentId) ?? { entries: [], chars: 0 };
    waiting.set(parentId, batch);
    batch.entries.push(outcome.entry);
    batch.chars += outcome.chars;
    count += 1;
    const isFull = batch.entries.length >= batchEntriesMax || batch.chars >= batchCharsMax;
    const due = isFull ? parentId : count >= waitingEntriesMax ? largestOf(waiting) : undefined;
    const entries = due === undefined ? undefined : waiting.get(due)?.entries;
    if (due === undefined || entries === undefined) continue;
    waiting.delete(due);
    count -= entries.length;
    yield { parentId: due, entries };
  }
  for (const [parentId, { entries }] of waiting) yield { parentId, entries };
}

function largestOf(waiting: ReadonlyMap<string, { entries: unknown[] }>): string | undefined {
  const [largest] = [...waiting].toSorted(([, a], [, b]) => b.entries.length - a.entries.length);
  return largest?.[0];
}

/** Writes the results as they come, or on a terminal as one table if that is short enough. */
class ShownRows {
  readonly #call: Call;
  readonly #writer: RowWriter;
  readonly #table: Row[] = [];
  #count = 0;

  constructor(call: Call, columns: readonly string[]) {
    this.#call = call;
    this.#writer = new RowWriter(call.output, columns);
  }

  async add(row: Row): Promise<void> {
    const { output, settings } = this.#call;
    this.#count += 1;
    if (settings.raw) await output.write(`${String(row['id'])}\n`);
    else if (output.format !== 'table') await this.#writer.write(row);
    else if (this.#table.length < tableRowsMax) this.#table.push(row);
  }

  async end(): Promise<void> {
    const { output, settings, context } = this.#call;
    if (settings.raw) return;
    if (output.format !== 'table') await this.#writer.end();
    else if (this.#count <= tableRowsMax) await output.show(this.#table);
    else context.stderr.write('too many for a table: -o csv writes them all, with their keys\n');
  }
}
