import * as fs from 'node:fs/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { readIfThere } from '../../log/files.ts';
import { before, type LogRange, type Position, startOf } from '../../log/format.ts';

const lines = Compile(
  Type.Object({
    segment: Type.Integer({ minimum: 0 }),
    from: Type.Integer({ minimum: 0 }),
    to: Type.Integer({ minimum: 0 }),
  }),
);

/**
 * A file of the batches that went to the queue, one line each. It outlives the process but is not synced to the disk:
 * at worst, after a power cut, messages are divided into other bundles, and some are sent twice.
 */
export class BatchNotes {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The batches from `position` on, in order, each once. Any other line is ignored. */
  async since(position: Position): Promise<LogRange[]> {
    const text = (await readIfThere(this.#path)) ?? '';
    const noted = text.split('\n').flatMap((line) => {
      const read = parse(line);
      return lines.Check(read) && !before(startOf(read), position) ? [read] : [];
    });
    const byStart = new Map(noted.map((batch) => [`${batch.segment} ${batch.from}`, batch]));
    return [...byStart.values()].toSorted((a, b) => a.segment - b.segment || a.from - b.from);
  }

  async note(batch: LogRange): Promise<void> {
    await fs.appendFile(this.#path, lineOf(batch), { mode: 0o600 });
  }

  /** Forgets all but these. */
  async keep(batches: readonly LogRange[]): Promise<void> {
    await fs.writeFile(`${this.#path}.new`, batches.map(lineOf).join(''), { mode: 0o600 });
    await fs.rename(`${this.#path}.new`, this.#path);
  }
}

const lineOf = (batch: LogRange): string => `${JSON.stringify(batch)}\n`;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
