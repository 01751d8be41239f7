import type { About } from '../process/about.ts';

/** `pass`: all is well. `warn`: the job is done, something it depends on is away. `fail`: the job can't be done. */
export type HealthStatus = 'pass' | 'warn' | 'fail';

export type HealthCheck = { status: HealthStatus; output?: string };

/** The body of `GET /health` (application/health+json). */
export type Health = About & { status: HealthStatus; checks: Record<string, HealthCheck[]> };

/** The worse, the larger. */
export const severity: Readonly<Record<HealthStatus, number>> = { pass: 0, warn: 1, fail: 2 };

/** A process is as healthy as its worst part. Without any it is alive. */
export function worstOf(parts: Record<string, HealthCheck>): HealthStatus {
  const statuses = Object.values(parts).map((part) => part.status);
  return statuses.reduce((worst, one) => (severity[one] > severity[worst] ? one : worst), 'pass');
}

/** Puts the parts' states together. */
export function health(
  about: About,
  parts: Record<string, HealthCheck>,
): {
  httpStatus: 200 | 503;
  body: Health;
} {
  const status = worstOf(parts);
  const checks = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, [part]]));
  return { httpStatus: status === 'fail' ? 503 : 200, body: { status, ...about, checks } };
}

/** Probes one dependency: `whenAway` is what its absence means for this process. */
export async function probe(
  attempt: () => Promise<unknown>,
  whenAway: 'warn' | 'fail',
  timeoutMs = 2_000,
): Promise<HealthCheck> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('no answer in time')), timeoutMs);
  try {
    await Promise.race([attempt(), timeout.promise]);
    return { status: 'pass' };
  } catch {
    return { status: whenAway, output: 'away' };
  } finally {
    clearTimeout(timer);
  }
}
