import { BroadcastChannel } from 'node:worker_threads';
import { heardBytes } from '../auth/known/heard-things.ts';
import type { ThingKeys } from '../auth/thing-keys.ts';
import { limits } from '../limits.ts';
import type { SharedPositions } from '../log/positions.ts';
import { type Heard, lastSeenChannel } from './last-seen.ts';

/**
 * Reports which things were heard, at an interval and once more at the stop, to the writer, in whichever thread of this
 * process it runs. A report is lost while that thread starts again. An edge whose log has no room hears nobody, and one
 * that stood still did not either.
 */
export function startReporting(
  things: ThingKeys,
  positions: SharedPositions,
  hasRoom: () => boolean,
): { stop: () => void } {
  const channel = new BroadcastChannel(lastSeenChannel);
  channel.unref();
  let hearsSinceMs = Date.now();
  let reportedMs = hearsSinceMs;

  function reportSome(nowMs: number): boolean {
    const heard = things.takeHeard(limits.heardAtOnceMax);
    const isLast = heard.length < limits.heardAtOnceMax * heardBytes;
    const upTo = isLast && heard.length > 0 ? positions.committed() : undefined;
    const hearing = isLast ? { fromMs: hearsSinceMs, toMs: nowMs } : undefined;
    channel.postMessage({ things: heard, upTo, hearing } satisfies Heard);
    return !isLast;
  }
  const report = (nowMs = Date.now()) => {
    if (!hasRoom() || Math.abs(nowMs - reportedMs) > limits.deafMsMax) hearsSinceMs = nowMs;
    reportedMs = nowMs;
    if (reportSome(nowMs)) setImmediate(report, nowMs);
  };
  const timer = setInterval(() => report(), limits.heardEveryMs);
  return {
    stop() {
      clearInterval(timer);
      while (reportSome(Date.now()));
      channel.close();
    },
  };
}
