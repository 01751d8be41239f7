import { heardBytes } from '../auth/known/heard-things.ts';
import type { ThingKeys } from '../auth/thing-keys.ts';
import { limits } from '../limits.ts';
import type { SharedPositions } from '../log/positions.ts';
import type { Heard } from './last-seen.ts';

/** Reports to the writer's thread which things were heard, at an interval and once more at the stop. */
export function startReporting(
  things: ThingKeys,
  positions: SharedPositions,
  send: (heard: Heard, moved: readonly ArrayBuffer[]) => void,
): { stop: () => void } {
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
