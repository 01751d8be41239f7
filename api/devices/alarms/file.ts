import { Readable } from 'node:stream';
import { neutralized } from '../../../schemas/csv.ts';
import type { Alarm } from '../../../schemas/resources/alarm.ts';
import { inPieces } from '../../http/connections/pace.ts';
import { alarmColumns, csvHeadOf } from './columns.ts';

export const alarmFileTypes = {
  csv: { contentType: 'text/csv; charset=utf-8', head: csvHeadOf(), line: csvLine },
  ndjson: {
    contentType: 'application/x-ndjson',
    head: '',
    line: (alarm: Alarm) => `${JSON.stringify(alarm)}\n`,
  },
} as const;

/** A file of alarms as they come. Destroying it ends the reading. */
export function alarmFile(
  alarms: AsyncIterable<Alarm[]>,
  { head, line }: { head: string; line: (alarm: Alarm) => string },
): Readable {
  async function* lines() {
    yield head;
    for await (const some of alarms) yield some.map(line).join('');
  }
  return Readable.from(inPieces(lines()));
}

function csvLine(alarm: Alarm): string {
  return `${alarmColumns.map((name) => cell(alarm[name])).join(',')}\n`;
}

function cell(value: Alarm[(typeof alarmColumns)[number]]): string {
  if (value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${neutralized(text).replaceAll('"', '""')}"`;
}
