/*
 * The tables of the store, as infra/migrations/clickhouse makes them, for all who write SQL about them. A
 * migration keeps its own text: it does what was right when it was made.
 */

export type MessageFormat = 'senml' | 'json';

export const messageFormats: readonly MessageFormat[] = ['senml', 'json'];

/** A table of messages. */
export type MessageTable = {
  name: string;
  /** The column of a message's time, in nanoseconds since 1970. */
  time: string;
  /** The day of that time, which the table is sorted by first. */
  day: string;
  /** The columns that an INSERT has values for. */
  inserted: string;
};

/** The day of a time in nanoseconds since 1970: a column or a placeholder. */
export const dayOf = (time: string): string => `intDiv(${time}, 86400000000000)`;

export const messageTables: Readonly<Record<MessageFormat, MessageTable>> = {
  senml: {
    name: 'senml',
    time: 'time',
    day: dayOf('time'),
    inserted:
      'publisher, subtopic, protocol, name, unit, time, kind, given, text, sum, update_time, log, batch',
  },
  json: {
    name: 'json',
    time: 'created',
    day: dayOf('created'),
    inserted: 'publisher, subtopic, protocol, created, payload, log, batch',
  },
};

/** The type of the column `kind`: which of the value fields of RFC 8428 a SenML record has. */
export const kindType = "Enum8('value' = 0, 'string' = 1, 'bool' = 2, 'data' = 3, 'none' = 4)";

/** Which things each group has: see infra/migrations/clickhouse/0003_publishers.sql. */
export const publishersTable = 'publishers';

/** How many days each publisher's messages are kept, and the table that it is exchanged with. */
export const retentionTable = 'kept';
export const nextRetentionTable = 'kept_next';
