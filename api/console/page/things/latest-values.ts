import { valueIn } from '../explore/leaves.ts';
import type { JsonMessage, SenmlMessage } from '../client/live.ts';
import { numberWriter } from '../ui/number.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

/** A message of a series, and when it was seen. */
export type One =
  | { format: 'senml'; message: SenmlMessage; seenAt: string }
  | { format: 'json'; message: JsonMessage; seenAt: string };

/** The newest message of each series, by `key`. */
export type Came = ReadonlyMap<string, One>;

export const key = (format: 'senml' | 'json', name: string) => `${format} ${name}`;

/** A row of the table of latest values. */
export type Row = {
  key: string;
  format: 'senml' | 'json';
  name: string;
  value: string;
  unit: string;
  time: string;
  /** Explore draws it: numbers, texts and booleans of SenML have one series. */
  isDrawn: boolean;
};

const write = numberWriter(9);

/** The value of a SenML record, as text. */
export function valueOf({
  value,
  string_value,
  bool_value,
  data_value,
  sum,
}: SenmlMessage): string {
  if (typeof value === 'number') return write(value);
  if (string_value !== undefined) return string_value;
  if (bool_value !== undefined) return String(bool_value);
  if (data_value !== undefined) return data_value;
  return sum === undefined ? '' : write(sum);
}

/** Seconds since 1970 as the API writes times; empty for what is out of range. */
export const isoOf = (seconds: number): string => {
  const time = new Date(seconds * 1_000);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
};

/** The rows of the table: what was read, and over it what came since. */
export function rowsOf(
  senml: readonly SenmlMessage[],
  json: readonly JsonMessage[],
  came: Came,
): Row[] {
  const rows = new Map<string, Row>();
  const put = (one: One) => {
    const row = one.format === 'senml' ? senmlRow(one.message) : jsonRow(one.message);
    rows.set(row.key, row);
  };
  for (const message of senml) put({ format: 'senml', message, seenAt: '' });
  for (const message of json) put({ format: 'json', message, seenAt: '' });
  for (const one of came.values()) put(one);
  return [...rows.values()];
}

function senmlRow(message: SenmlMessage): Row {
  const { name = '', unit = '', time } = message;
  return {
    key: key('senml', name),
    format: 'senml',
    name,
    value: valueOf(message),
    unit: unitText(unit),
    time: isoOf(time),
    isDrawn: valueIn(message) !== null,
  };
}

function jsonRow({ subtopic = '', created, payload }: JsonMessage): Row {
  return {
    key: key('json', subtopic),
    format: 'json',
    name: subtopic,
    value: JSON.stringify(payload),
    unit: '',
    time: isoOf(created / 1e9),
    isDrawn: false,
  };
}
