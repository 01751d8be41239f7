import { BroadcastChannel } from 'node:worker_threads';
import { heardBytes } from '../auth/known/heard-things.ts';
import type { ThingKeys } from '../auth/thing-keys.ts';
import { limits } from '../limits.ts';
import type { SharedPositions } from '../log/positions.ts';
import { type Heard, lastSeenChannel } from './last-seen.ts';

/**
 * Reports which things were heard, at an interval and once more at the stop, to the writer, in whichever thread of this
 * process it runs. A report is lost while that thread starts again.
 */
export function startReporting(
  things: ThingKeys,
  positions: SharedPositions,
): { stop: () => void } {
  const channel = new BroadcastChannel(lastSeenChannel);
  channel.unref();
  function reportSome(): boolean {
    const heard = things.takeHeard(limits.heardAtOnceMax);
    if (heard.length === 0) return false;
    const isLast = heard.length < limits.heardAtOnceMax * heardBytes;
    const upTo = isLast ? positions.committed() : undefined;
    channel.postMessage({ things: heard, upTo } satisfies Heard);
    return !isLast;
  }
  const report = () => {
    if (reportSome()) setImmediate(report);
  };
  const timer = setInterval(report, limits.heardEveryMs);
  return {
    stop() {
      clearInterval(timer);
      while (reportSome());
      channel.close();
    },
  };
}
