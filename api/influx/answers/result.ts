/** The head of a series in an answer. */
export type SeriesHead = {
  name: string | undefined;
  /** Those that the statement groups by. */
  tags: readonly (readonly [key: string, value: string])[];
  columns: readonly string[];
  /** In which times are written; UTC where it is undefined. */
  zone?: string | undefined;
};

/** A row of a series; rows of one series follow each other, and have the same head. */
export type Row = {
  series: SeriesHead;
  /** Nanoseconds since 1970, of its first column; undefined where that is no time. */
  time: bigint | undefined;
  /** A JSON array: its other columns. */
  values: string;
  /** It is the last one of an answer that is longer than it may be. */
  isCut?: boolean;
};

/**
 * The rows of an answer as they come, many at once: a promise for each costs more than all else that is done with it
 * (benchmark: influxql).
 */
export type Batches<One = Row> = AsyncIterable<readonly One[]>;

/** The result of one statement. `batches` fails with a DomainError where the statement does. */
export type Result = { statement: number; batches: Batches };

/** How a client wants its answer. */
export type AnswerStyle = {
  /** Of times: '' is RFC 3339. */
  epoch: string;
  /** Rows in each part of an answer that comes in parts; undefined: it comes whole. */
  chunkRows: number | undefined;
};
