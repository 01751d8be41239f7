// Not the global one: a test that holds the clock replaces that, under whatever else runs in its process.
import { createHistogram, performance } from 'node:perf_hooks';

/** How often the loop is looked at while it has something to do. */
const busyEveryMs = 50;
/** And at least: each look wakes a process that rests. */
const restEveryMs = 1_000;
/** Of the time since the last look: with less to do the loop rests. */
const busyShare = 0.05;

/** How late the event loop came to what was due, since this was asked last: in seconds. */
export type Lag = Record<'min' | 'max' | 'mean' | 'stddev' | 'p50' | 'p90' | 'p99', number>;

/** Measures how late the event loop of this thread is, from now on. Gives how to ask for it. */
export function measureLag(): () => Lag {
  const lags = createHistogram();
  let lag: Lag = { min: 0, max: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0 };
  let everyMs = busyEveryMs;
  let usage = performance.eventLoopUtilization();

  function look(dueMs: number): void {
    const nowMs = performance.now();
    // A histogram has whole numbers from 1 on.
    lags.record(Math.max(1, Math.round((nowMs - dueMs) * 1e6)));
    const { utilization: share } = performance.eventLoopUtilization(usage);
    usage = performance.eventLoopUtilization();
    everyMs = share > busyShare ? busyEveryMs : Math.min(2 * everyMs, restEveryMs);
    lookIn(everyMs);
  }

  function lookIn(ms: number): void {
    setTimeout(look, ms, performance.now() + ms).unref();
  }

  lookIn(everyMs);
  return () => {
    if (lags.count === 0) return lag;
    const seconds = (ns: number) => ns / 1e9;
    lag = {
      min: seconds(lags.min),
      max: seconds(lags.max),
      mean: seconds(lags.mean),
      stddev: seconds(lags.stddev),
      p50: seconds(lags.percentile(50)),
      p90: seconds(lags.percentile(90)),
      p99: seconds(lags.percentile(99)),
    };
    lags.reset();
    return lag;
  };
}
