import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Position } from '../log/format.ts';
import type { Batch } from '../log/reader.ts';

/** How a batch ended. `halved`: it was refused for good, and a part of it is read next. */
export type Outcome = 'delivered' | 'halved' | 'quarantined';

/** How far a sink is in the log, and the part of that which a start after a crash needs. */
export type Ledger = {
  /** Everything before it is delivered, or in the quarantine. */
  readonly position: Position;
  /** Where the batch at the position ends, if it must end where it did before. */
  readonly exactlyTo: number | undefined;
  /** Whether the cursor on the disk must know of a batch before it is sent. */
  readonly isSavedFirst: boolean;
  /** Takes what `cursor` gave. @throws on what is no cursor. */
  restore: (cursor: unknown) => void;
  /** The part that is kept on the disk. */
  cursor: () => object;
  /** The batch was read, and is about to be sent. */
  begin: (batch: Batch) => void;
  end: (batch: Batch, outcome: Outcome) => void;
  /** There is nothing for the sink before `to`. */
  pass: (to: Position) => void;
};

const PositionFile = Type.Object({
  segment: Type.Integer({ minimum: 0 }),
  offset: Type.Integer({ minimum: 0 }),
});

/** The ledger of a sink that may deliver a batch again after a crash: its position, and nothing else. */
export class PositionLedger implements Ledger {
  readonly exactlyTo = undefined;
  readonly isSavedFirst = false;
  #position: Position = { segment: 0, offset: 0 };

  get position(): Position {
    return this.#position;
  }

  restore(cursor: unknown): void {
    const { segment, offset } = Value.Parse(PositionFile, cursor);
    this.#position = { segment, offset };
  }

  cursor(): Position {
    return this.#position;
  }

  begin(): void {
    // A crash from here on has it sent again.
  }

  end({ to }: Batch, outcome: Outcome): void {
    if (outcome !== 'halved') this.#position = to;
  }

  pass(to: Position): void {
    this.#position = to;
  }
}
