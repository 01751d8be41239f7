import { heardBytes } from '../auth/heard-things.ts';
import type { ThingKeys } from '../auth/thing-keys.ts';
import { limits } from '../limits.ts';
import type { SharedPositions } from '../log/positions.ts';
import type { Heard } from './last-seen.ts';

/** Reports to the thread that writes it down, now and then and at the end, which things were heard since. */
export function startReporting(
  things: ThingKeys,
  positions: SharedPositions,
  send: (heard: Heard, moved: readonly ArrayBuffer[]) => void,
): { stop: () => void } {
  // More in one go would hold acks up.
  function reportSome(): boolean {
    const heard = things.takeHeard(limits.heardAtOnceMax);
    if (heard.length === 0) return false;
    const isLast = heard.length < limits.heardAtOnceMax * heardBytes;
    const upTo = isLast ? positions.committed() : undefined;
    send({ things: heard, upTo }, [heard.buffer]);
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
    },
  };
}
