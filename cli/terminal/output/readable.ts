import { cell } from './cell.ts';
import type { Row } from './rows.ts';

/** Milliseconds in what a message counts its times in. */
const perMs: Readonly<Record<string, number>> = {
  // Of SenML: seconds.
  time: 0.001,
  update_time: 0.001,
  // Of JSON: nanoseconds.
  created: 1_000_000,
};

/** A member as people read it: times of messages are ISO 8601, whatever they are counted in. */
export function readable(row: Row, name: string): string {
  const text = cell(row[name]);
  const unit = perMs[name];
  if (unit === undefined || text === '' || row['publisher'] === undefined) return text;
  const date = new Date(Number(text) / unit);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
