import { cursorFile, parseCursor } from '../../log/cursor.ts';
import type { Position } from '../../log/format.ts';
import type { Batch } from '../../log/reader.ts';
import type { Ledger, Outcome } from '../ledger.ts';
import * as progress from './progress.ts';
import { newestKnown } from './reverted.ts';

/** The ledger of a sink of the store: a batch's number and end are on the disk before it is sent. */
export class StoreLedger implements Ledger {
  readonly isSavedFirst = true;
  #progress = progress.restored(undefined);
  #newestKnown = newestKnown(undefined);

  get position(): Position {
    return this.#progress.position;
  }

  get exactlyTo(): number | undefined {
    const { batch } = this.#progress;
    return batch.kind === 'none' ? undefined : batch.to;
  }

  /** The batch under way, as the store needs to know it. */
  get current(): progress.StoreProgress {
    return this.#progress;
  }

  /** The newest batch that the log knew of when it was opened. */
  get newestKnown(): number {
    return this.#newestKnown;
  }

  restore(file: unknown): void {
    const cursor = parseCursor(file);
    this.#progress = progress.restored(cursor);
    this.#newestKnown = newestKnown(cursor);
  }

  cursor(): object {
    return cursorFile(progress.cursorOf(this.#progress));
  }

  begin(batch: Batch): void {
    this.#progress = progress.begun(this.#progress, batch, Math.floor(Date.now() / 1_000));
  }

  /** The insert of the batch starts. */
  sent(): void {
    this.#progress = progress.sent(this.#progress);
  }

  takenInPart(batch: Batch, partitions: readonly string[]): void {
    this.#progress = progress.takenInPart(this.#progress, batch, partitions);
  }

  end(batch: Batch, outcome: Outcome): void {
    switch (outcome) {
      case 'delivered':
        this.#progress = progress.stored(this.#progress, batch);
        break;
      case 'halved':
        this.#progress = progress.refused(this.#progress);
        break;
      case 'quarantined':
        this.#progress = progress.quarantined(this.#progress, batch);
    }
  }

  pass(to: Position): void {
    this.#progress = progress.passed(this.#progress, to);
  }
}
