import { type Pool, type Rows, rowsOf } from '../../infra/runtime/stores/postgres.ts';
import { before, type Position } from '../log/format.ts';

const tables = { webhooks: 'webhook_logs', alarms: 'alarm_logs' } as const;

/** The sink that has a table with a row for each log. */
type PositionOf = keyof typeof tables;

type KeptPositionOptions = {
  pool: Pool;
  of: PositionOf;
  logId: string;
  /** How far the log was committed before any of it was sent by this thread. */
  committedAtStart: Position;
  /** Postgres has more of this log than the log itself: nothing more is sent. */
  onReverted: () => Promise<void>;
};

/**
 * How far Postgres has a log: it moves in the transaction that writes what a sink makes of the frames before it. So each
 * frame counts once, whatever is killed.
 */
export class KeptPosition {
  readonly #options: KeptPositionOptions;
  /** Undefined where it is not known, as after a failure. */
  #known: Position | undefined;
  #isOwn = false;

  constructor(options: KeptPositionOptions) {
    this.#options = options;
  }

  /** Where Postgres does not know the log, all before `from` is there, as far as anyone knows. */
  async find(from: Position): Promise<Position> {
    return (this.#known ??= await this.#load(from));
  }

  /** A log that was reverted or copied must not take another's messages for its own. */
  async #load(from: Position): Promise<Position> {
    const { pool, of, logId, committedAtStart, onReverted } = this.#options;
    const rows = rowsOf(pool);
    const known = await findPosition(rows, of, logId);
    if (known === undefined) await insertPosition(rows, of, logId, from);
    else if (!this.#isOwn && before(committedAtStart, known)) await onReverted();
    this.#isOwn = true;
    return known ?? from;
  }

  /** False if it is not where it was: after a kill, a transaction of the process before may still have been ending. */
  move(rows: Rows, from: Position, to: Position): Promise<boolean> {
    const { of, logId } = this.#options;
    return movePosition(rows, of, logId, from, to);
  }

  /** The transaction has ended: it is there, or (undefined) that is not known. */
  ended(at: Position | undefined): void {
    this.#known = at;
  }
}

/** Undefined: Postgres does not know the log. Uses the primary key. */
async function findPosition(
  rows: Rows,
  of: PositionOf,
  logId: string,
): Promise<Position | undefined> {
  const [position] = await rows<Position>(
    `SELECT segment, "offset" FROM ${tables[of]} WHERE log_id = $1`,
    [logId],
  );
  return position;
}

/** Uses the primary key. */
async function insertPosition(
  rows: Rows,
  of: PositionOf,
  logId: string,
  from: Position,
): Promise<void> {
  await rows(
    `INSERT INTO ${tables[of]} (log_id, segment, "offset") VALUES ($1, $2, $3)
     ON CONFLICT (log_id) DO NOTHING`,
    [logId, from.segment, from.offset],
  );
}

/** Uses the primary key. */
async function movePosition(
  rows: Rows,
  of: PositionOf,
  logId: string,
  from: Position,
  to: Position,
): Promise<boolean> {
  const moved = await rows(
    `UPDATE ${tables[of]} SET segment = $4, "offset" = $5
     WHERE log_id = $1 AND segment = $2 AND "offset" = $3
     RETURNING log_id`,
    [logId, from.segment, from.offset, to.segment, to.offset],
  );
  return moved.length > 0;
}
