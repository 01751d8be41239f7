import { cell } from './cell.ts';
import type { Row } from './rows.ts';

/** Milliseconds in one unit of a message's times. */
const perMs: Readonly<Record<string, number>> = {
  // Of SenML: seconds.
  time: 0.001,
  update_time: 0.001,
  // Of JSON: nanoseconds.
  created: 1_000_000,
};

/** A member for people to read: times of messages as ISO 8601, in whatever unit they are. */
export function readable(row: Row, name: string): string {
  const text = cell(row[name]);
  const unit = perMs[name];
  if (unit === undefined || text === '' || row['publisher'] === undefined) return text;
  const date = new Date(Number(text) / unit);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
