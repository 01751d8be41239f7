import { setTimeout as delay } from 'node:timers/promises';
import type { HealthStatus } from '../../runtime/observability/health.ts';

const askEveryMs = 100;
const answerMsMax = 5_000;
/** At a start most of what warns is not there yet. What still warns then may do so for long. */
const warnMsMax = 10_000;

/**
 * Waits until `GET /health` on a local port says `pass`, or has said `warn` for `warnedMsMax`: then the process does
 * its job. Reports each other response once.
 */
export async function untilHealthy(
  port: number,
  tell: (answer: string) => void,
  warnedMsMax = warnMsMax,
): Promise<void> {
  let told = 'no answer';
  let warnsSince = Number.POSITIVE_INFINITY;
  for (;;) {
    const { status, text } = await askHealth(port);
    if (status === 'pass') return;
    if (text !== told) tell(text);
    told = text;
    const nowMs = performance.now();
    warnsSince = status === 'warn' ? Math.min(warnsSince, nowMs) : Number.POSITIVE_INFINITY;
    if (nowMs - warnsSince >= warnedMsMax) return;
    await delay(askEveryMs);
  }
}

async function askHealth(
  port: number,
): Promise<{ status: HealthStatus | undefined; text: string }> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal });
    const body: unknown = await response.json();
    return { status: statusOf(body), text: JSON.stringify(body) };
  } catch {
    return { status: undefined, text: 'no answer' };
  }
}

function statusOf(body: unknown): HealthStatus | undefined {
  if (typeof body !== 'object' || body === null || !('status' in body)) return undefined;
  const { status } = body;
  return status === 'pass' || status === 'warn' || status === 'fail' ? status : undefined;
}
