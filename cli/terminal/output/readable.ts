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

/** A member for people to read: times of messages as ISO 8601, in whatever unit they are, and ages in words. */
export function readable(row: Row, name: string): string {
  const text = cell(row[name]);
  if (name === 'last_seen' && text !== '') return ageOf(text, Date.now());
  const unit = perMs[name === 'until' ? timeOf(row) : name];
  if (unit === undefined || !/^\d/.test(text)) return text;
  const date = new Date(Number(text) / unit);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** The member that tells the time of a message; `until` is in the same unit. */
const timeOf = (row: Row) => (row['created'] === undefined ? 'time' : 'created');

const ages = [
  { seconds: 86_400, unit: 'day' },
  { seconds: 3_600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const;

/** Says how long ago an ISO time was: `3 minutes ago`. */
export function ageOf(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1_000;
  if (Number.isNaN(seconds)) return iso;
  const age = ages.find((one) => seconds >= one.seconds);
  if (age === undefined) return 'just now';
  const count = Math.floor(seconds / age.seconds);
  return `${count} ${age.unit}${count === 1 ? '' : 's'} ago`;
}
