import type { Quarantined } from '../../../infra/runtime/history/sql.ts';
import type { Sample } from '../../../infra/runtime/history/figures.ts';
import type { HealthCheck } from '../../../infra/runtime/observability/health.ts';
import type { OperationsProcess } from '../../../schemas/operations.ts';
import type { Database } from '../../stores/database.ts';

export type ProcessKind = OperationsProcess['kind'];

export type ProcessRow = Sample & {
  id: string;
  kind: ProcessKind;
  name: string;
  version: string;
  state: OperationsProcess['state'];
  started_at: Date;
  seen_at: Date;
  checks: Record<string, HealthCheck>;
  quarantine: readonly Quarantined[];
};

/** One that is replaced under another name says that it stops; one that is killed is to be seen. Reads a small table whole. */
export function findProcesses(db: Database): Promise<ProcessRow[]> {
  return db.rows<ProcessRow>(
    `SELECT id, kind, name, version,
       CASE WHEN stopped_at IS NOT NULL THEN 'stopped'
            WHEN seen_at < now() - interval '45 seconds' THEN 'silent'
            ELSE 'running' END AS state,
       started_at, seen_at, checks, quarantine, seconds, figures
     FROM processes
     WHERE seen_at > now() - CASE WHEN stopped_at IS NULL THEN interval '1 day' ELSE interval '1 hour' END
     ORDER BY array_position(ARRAY ['edge', 'api', 'workers'], kind), name, id`,
    [],
  );
}

export type HistoryRow = Sample & { process_id: string; kind: ProcessKind; at: number };

/** The figures that processes measured in intervals of this length after `since`. Uses the primary key. */
export function findHistory(db: Database, span: number, since: number): Promise<HistoryRow[]> {
  return db.rows<HistoryRow>(
    `SELECT extract(epoch FROM at)::double precision AS at, process_id, kind, seconds, figures
     FROM process_history
     WHERE span = $1 AND at > to_timestamp($2)`,
    [span, since],
  );
}
