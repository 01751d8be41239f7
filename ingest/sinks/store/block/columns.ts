import { kindType } from '../../../../schemas/messages/tables.ts';
import type { Format } from '../../../log/format.ts';

/**
 * How a message's row has an entry of a column (codecs/row-binary.ts). `name`, `word` (of few kinds) and `text`: bytes
 * after their length; `time` and `double`: eight bytes; `byte`: one; `nullable`: a byte that is 1 for null, else eight
 * bytes after it.
 */
export type Shape = 'name' | 'word' | 'text' | 'time' | 'double' | 'byte' | 'nullable';

/** A column for which messages have an array, in the order of these arrays. */
export type Column = {
  /** As the table calls it. */
  name: string;
  shape: Shape;
  /** The type in which ClickHouse gets it. */
  type: string;
  /** The default, as SQL: it stands for an array that is left out. */
  absent: string;
};

/** Types with a dictionary: the table's own have none, but less has to be sent so. */
export const publisherType = 'LowCardinality(UUID)';
export const dictionaryType = 'LowCardinality(String)';

/** The first array has an entry for each record of its message; others may be left out. */
export const columns: Readonly<Record<Format, readonly Column[]>> = {
  senml: [
    { name: 'name', shape: 'name', type: dictionaryType, absent: "''" },
    { name: 'unit', shape: 'word', type: dictionaryType, absent: "''" },
    { name: 'time', shape: 'time', type: 'Int64', absent: '0' },
    { name: 'kind', shape: 'byte', type: kindType, absent: "'value'" },
    { name: 'given', shape: 'double', type: 'Float64', absent: '0.' },
    { name: 'text', shape: 'text', type: 'String', absent: "''" },
    { name: 'sum', shape: 'nullable', type: 'Nullable(Float64)', absent: 'NULL' },
    { name: 'update_time', shape: 'nullable', type: 'Nullable(Float64)', absent: 'NULL' },
  ],
  json: [
    { name: 'created', shape: 'time', type: 'Int64', absent: '0' },
    { name: 'payload', shape: 'text', type: 'String', absent: "''" },
  ],
};
