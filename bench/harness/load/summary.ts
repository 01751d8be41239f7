import { percentile } from '../../../test/support/statistics.ts';

/**
 * Prints what a load generator has measured, as its last line; `wrk.ts` reads it. Waits in milliseconds, one for each
 * request unless `requests` says how many there were.
 */
export function printSummary(
  waits: number[],
  elapsedMs: number,
  counts: {
    refused: number;
    errors: number;
    requests?: number;
    cpuMs?: number;
    lateP99Us?: number;
    lateP999Us?: number;
  },
): void {
  const us = (share: number) => Math.round(percentile(waits, share) * 1_000);
  const summary = {
    requests: waits.length,
    microseconds: Math.round(elapsedMs * 1_000),
    p50Us: us(0.5),
    p99Us: us(0.99),
    p999Us: us(0.999),
    ...counts,
  };
  process.stdout.write(`${JSON.stringify(summary)}\n`);
}
