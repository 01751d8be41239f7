import type { HealthCheck } from '../observability/health.ts';
import type { Pool } from '../stores/postgres.ts';
import type { Sample } from './figures.ts';
import { pointsKept } from './spans.ts';

/** Which process it is: the id stays the same when it is started again. */
export type Identity = {
  id: string;
  kind: 'edge' | 'api' | 'workers';
  name: string;
  version: string;
};

/** A frame that a sink's target refused for good. */
export type Quarantined = {
  at: string;
  sink: string;
  records?: number;
  code: string;
  reason: string;
  segment: number;
  offset: number;
};

type Report = {
  startedAt: Date;
  checks: Record<string, HealthCheck>;
  quarantine: readonly Quarantined[];
  last: Sample;
  /** Of each span whose interval has ended, with the time of that end in seconds. */
  ended: readonly (Sample & { span: number; at: number })[];
};

/** One statement, so that it is one commit. Uses both primary keys. */
export async function writeReport(pool: Pool, of: Identity, report: Report): Promise<void> {
  const { startedAt, checks, quarantine, last, ended } = report;
  await pool.query(
    `WITH seen AS (
       INSERT INTO processes AS known
         (id, kind, name, version, started_at, seen_at, checks, quarantine, seconds, figures)
       VALUES ($1, $2, $3, $4, $5, now(), $6, $7, $8, $9)
       ON CONFLICT (id) DO UPDATE SET
         name = excluded.name, version = excluded.version, started_at = excluded.started_at,
         seen_at = excluded.seen_at, stopped_at = NULL, checks = excluded.checks,
         quarantine = excluded.quarantine, seconds = excluded.seconds, figures = excluded.figures
     )
     INSERT INTO process_history (span, at, process_id, kind, seconds, figures)
     SELECT span, to_timestamp(at), $1, $2, seconds, figures
     FROM jsonb_to_recordset($10) AS ended (span integer, at bigint, seconds double precision, figures jsonb)
     ON CONFLICT DO NOTHING`,
    [
      of.id,
      of.kind,
      of.name,
      of.version,
      startedAt,
      JSON.stringify(checks),
      JSON.stringify(quarantine),
      last.seconds,
      JSON.stringify(last.figures),
      JSON.stringify(ended),
    ],
  );
}

/** It stops because it was told to. */
export async function writeStop(pool: Pool, { id }: Identity): Promise<void> {
  await pool.query('UPDATE processes SET stopped_at = now() WHERE id = $1', [id]);
}

/** Reads both tables whole: they are small. Any process may do it, several at once. */
export async function deleteOld(pool: Pool): Promise<void> {
  await pool.query(
    `DELETE FROM process_history WHERE at < now() - make_interval(secs => span * $1::integer)`,
    [pointsKept],
  );
  await pool.query(`DELETE FROM processes WHERE seen_at < now() - interval '14 days'`);
}
