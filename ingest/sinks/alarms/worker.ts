/**
 * The thread of the alarms' sink: it holds messages of things that have rules against these, and writes what comes of it
 * into Postgres. Its priority is that of the sink of webhooks.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { NotReached } from '../../../infra/runtime/network/failure.ts';
import { Calls } from '../../../infra/runtime/observability/calls.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openPostgres } from '../../../infra/runtime/stores/postgres.ts';
import { postgresConnections } from '../../../infra/runtime/stores/postgres-connections.ts';
import { readIdentity, renewReverted } from '../../log/directory/identity.ts';
import type { Position } from '../../log/format.ts';
import { sharedPositions } from '../../log/positions.ts';
import { LogReader } from '../../log/reader.ts';
import { SinkDriver, type SinkLimits } from '../driver.ts';
import { giveWay } from '../give-way.ts';
import { KeptPosition } from '../kept-position.ts';
import { PositionLedger } from '../ledger.ts';
import { noteDamage } from '../notes.ts';
import type { SinkProgress, SinkThreadData } from '../sink.ts';
import { Evaluation } from './evaluation.ts';
import { KnownStates } from './known-states.ts';
import { OrgBudgets } from './org-budgets.ts';
import { AlarmTarget } from './send.ts';
import { Snapshot } from './snapshot.ts';

/** The data that the thread is started with. */
export type AlarmThreadData = SinkThreadData & {
  databaseUrl: string;
  queryMsMax: number;
  windowBytes: number;
  freshMs: number;
  transitionsPerSecond: number;
  transitionsAtOnce: number;
  evaluationsPerSecond: number;
  evaluationsAtOnce: number;
  snapshotSegmentsMax: number;
  snapshotMsMax: number;
  limits: SinkLimits;
};

/** The report that the thread makes after each batch. */
export type AlarmReport = SinkProgress & {
  evaluated: number;
  skipped: number;
  future: number;
  late: number;
  throttled: number;
  fired: number;
  ended: number;
  /** Things under rules: ok, not ok, and the bytes of those that are ok. */
  ok: number;
  notOk: number;
  okBytes: number;
};

const nicerBy = 10;

const data: AlarmThreadData = workerData;
const { directory, limits } = data;
const logger = createLog('ingest', data.logLevel);
const pool = openPostgres(
  data.databaseUrl,
  postgresConnections.ingest.alarms,
  data.queryMsMax,
  logger,
  new Calls(data.calls),
);
const positions = sharedPositions(data.positions);
const stopping = new AbortController();
const { id } = await readIdentity(directory);

const readerTo = (committed: () => Position) =>
  new LogReader({
    directory,
    formats: ['alarm'],
    segmentBytes: data.segmentBytes,
    committed,
    onDamage: (damage) => noteDamage({ directory, positions, logger }, damage),
    windowBytes: data.windowBytes,
  });

const states = new KnownStates();
const evaluation = new Evaluation(states, {
  transitions: new OrgBudgets(data.transitionsPerSecond, data.transitionsAtOnce),
  evaluations: new OrgBudgets(data.evaluationsPerSecond, data.evaluationsAtOnce),
});
const snapshot = await Snapshot.read({
  directory,
  logId: id,
  states,
  segmentBytes: data.segmentBytes,
  segmentsMax: data.snapshotSegmentsMax,
  msMax: data.snapshotMsMax,
  logger,
});
const target = new AlarmTarget({
  pool,
  logId: id,
  position: new KeptPosition({
    pool,
    of: 'alarms',
    logId: id,
    committedAtStart: positions.committed(),
    /** The thread starts again, with another identity. */
    async onReverted() {
      await renewReverted(directory, logger);
      stopping.abort();
      throw new NotReached('the log takes another identity');
    },
  }),
  states,
  evaluation,
  freshMs: data.freshMs,
  snapshot,
  openReader: (to) => readerTo(() => to),
});
const ledger = new PositionLedger();
const sink = new SinkDriver({
  name: 'alarm',
  formats: ['alarm'],
  directory,
  reader: readerTo(positions.committed),
  ledger,
  target,
  limits,
  logger,
  stopping: stopping.signal,
  positions,
  onProgress() {
    snapshot.keepUp(ledger.position);
    positions.release(data.sink, snapshot.neededSegment(sink.neededSegment()));
    parentPort?.postMessage(report());
  },
});

function report(): AlarmReport {
  const { tables, notOk } = states;
  const ok = tables.reduce((sum, { size }) => sum + size, 0);
  const okBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  return { ...sink.progress(), ...evaluation.counts, ...target.counts, ok, notOk, okBytes };
}

giveWay(nicerBy);
parentPort?.once('message', () => stopping.abort());
await sink.run();
await snapshot.close(ledger.position);
await pool.end();
parentPort?.close();
