import * as fs from 'node:fs/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { readIfThere } from '../../log/files.ts';
import { before, type Position } from '../../log/format.ts';
import { startOf, type Stretch } from '../durability-tracker.ts';

const lines = Compile(
  Type.Object({
    segment: Type.Integer({ minimum: 0 }),
    from: Type.Integer({ minimum: 0 }),
    to: Type.Integer({ minimum: 0 }),
  }),
);

/**
 * A file of the batches that went to the queue, one line each. It outlives the process and is not forced to
 * the disk: after a power cut the worst is that messages are cut into other bundles, and some sent twice.
 */
export class BatchNotes {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The batches from `position` on, in order, each once. What is no line of ours is passed over. */
  async since(position: Position): Promise<Stretch[]> {
    const text = (await readIfThere(this.#path)) ?? '';
    const noted = text.split('\n').flatMap((line) => {
      const read = parse(line);
      return lines.Check(read) && !before(startOf(read), position) ? [read] : [];
    });
    const byStart = new Map(noted.map((batch) => [`${batch.segment} ${batch.from}`, batch]));
    return [...byStart.values()].toSorted((a, b) => a.segment - b.segment || a.from - b.from);
  }

  async note(batch: Stretch): Promise<void> {
    await fs.appendFile(this.#path, lineOf(batch), { mode: 0o600 });
  }

  /** Forgets all but these. */
  async keep(batches: readonly Stretch[]): Promise<void> {
    await fs.writeFile(`${this.#path}.new`, batches.map(lineOf).join(''), { mode: 0o600 });
    await fs.rename(`${this.#path}.new`, this.#path);
  }
}

const lineOf = (batch: Stretch): string => `${JSON.stringify(batch)}\n`;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
