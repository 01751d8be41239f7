import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { About } from '../process/about.ts';
import type { Logger } from '../process/logger.ts';
import { sleep } from '../process/sleep.ts';
import { type HealthCheck, severity, worstOf } from '../observability/health.ts';
import type { Registry } from '../observability/metrics.ts';
import type { Pool } from '../stores/postgres.ts';
import { between, joined, readFigures, type Sample } from './figures.ts';
import { everySeconds, spans } from './spans.ts';
import { deleteOld, type Identity, type Quarantined, writeReport, writeStop } from './sql.ts';

/** How long a stop waits for Postgres to note it. */
const stopMsMax = 1_000;
/** With every interval of this length, rows that are too old are deleted. */
const cleanSpan = spans[2];

type Reported = {
  kind: Identity['kind'];
  /** Tells this process from others of its kind on this machine, and on another one of the same name. */
  port: number;
  id?: string;
  about: About;
  pool: Pool;
  metrics: Registry;
  checkHealth: () => Promise<Record<string, HealthCheck>>;
  quarantine?: () => Promise<readonly Quarantined[]>;
  logger: Logger;
};

/**
 * Writes now and then how this process is and what it measured, for the console's page of operations. It is best effort:
 * what can't be written is lost, and nothing waits for it. All processes write at the same seconds of the clock, so that
 * their figures can be added up. Gives how to stop.
 */
export function startHistory(reported: Reported): () => Promise<void> {
  const { kind, port, about, pool, metrics, checkHealth, logger } = reported;
  const name = `${hostname()}:${port}`;
  const identity = { id: `${kind} ${reported.id ?? name}`, kind, name, version: about.version };
  const startedAt = new Date(Date.now() - process.uptime() * 1_000);
  const stopping = new AbortController();
  const open = new Map<number, Sample>();
  let figures = {};
  let measuredMs = performance.now() - process.uptime() * 1_000;
  let endedAt = Math.floor(Date.now() / 1_000);

  async function measure(): Promise<Sample> {
    const [before, beforeMs] = [figures, measuredMs];
    figures = await readFigures(metrics);
    measuredMs = performance.now();
    return between(before, figures, (measuredMs - beforeMs) / 1_000);
  }

  /** Adds an interval to the longer ones. Gives those that it ends. */
  function add(last: Sample, at: number) {
    const ended = [];
    for (const span of spans) {
      const sample = joined(open.get(span), last);
      open.set(span, sample);
      const end = at - (at % span);
      if (end <= endedAt) continue;
      ended.push({ ...sample, span, at: end });
      open.delete(span);
    }
    endedAt = at;
    return ended;
  }

  async function report(at: number): Promise<void> {
    const [checks, quarantine = []] = await Promise.all([checkHealth(), reported.quarantine?.()]);
    const { seconds, figures: measured } = await measure();
    const last = { seconds, figures: { ...measured, health: severity[worstOf(checks)] } };
    const ended = add(last, at);
    await writeReport(pool, identity, { startedAt, checks, quarantine, last, ended });
    if (ended.some(({ span }) => span === cleanSpan)) await deleteOld(pool);
  }

  async function run(): Promise<void> {
    let hasFailed = false;
    while (!stopping.signal.aborted) {
      // A timer may ring a moment early.
      const at = Math.round(Date.now() / 1_000);
      try {
        await report(at);
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) logger.warn({ error }, 'what this process measured is not kept');
        hasFailed = true;
      }
      const dueMs = (at - (at % everySeconds) + everySeconds) * 1_000 - Date.now();
      // The clock may have been set.
      await sleep(Math.min(Math.max(dueMs, 0), everySeconds * 1_000), stopping.signal);
    }
  }

  const ended = run();
  return async () => {
    stopping.abort();
    const noted = ended.then(() => writeStop(pool, identity)).catch(() => undefined);
    await Promise.race([noted, delay(stopMsMax, undefined, { ref: false })]);
  };
}
