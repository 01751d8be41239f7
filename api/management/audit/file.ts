import { Readable } from 'node:stream';
import type { AuditEntry } from '../../../schemas/resources/audit.ts';
import { inPieces } from '../../http/connections/pace.ts';
import { neutralized } from '../../../schemas/csv.ts';

/** The columns of a CSV: an entry's members; `changes` is JSON in its cell. */
const columns = [
  'id',
  'at',
  'org_id',
  'group_id',
  'actor_type',
  'actor_id',
  'actor_email',
  'api_key_id',
  'address',
  'request_id',
  'operation',
  'action',
  'kind',
  'entity_id',
  'entity_name',
  'changes',
] as const satisfies (keyof AuditEntry)[];

export const auditFileTypes = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: `"${columns.join('","')}"\n`,
    line: csvLine,
  },
  ndjson: { contentType: 'application/x-ndjson', head: '', line: ndjsonLine },
} as const;

/** A file of entries as they come. Destroying it ends the reading. */
export function auditFile(
  entries: AsyncIterable<AuditEntry[]>,
  { head, line }: { head: string; line: (entry: AuditEntry) => string },
): Readable {
  async function* lines() {
    yield head;
    for await (const some of entries) yield some.map(line).join('');
  }
  return Readable.from(inPieces(lines()));
}

function ndjsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function csvLine(entry: AuditEntry): string {
  return `${columns.map((name) => cell(entry[name])).join(',')}\n`;
}

function cell(value: AuditEntry[(typeof columns)[number]]): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${neutralized(text).replaceAll('"', '""')}"`;
}
