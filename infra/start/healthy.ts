import { setTimeout as delay } from 'node:timers/promises';

const askEveryMs = 100;
const answerMsMax = 5_000;

/** Waits until `GET /health` on a local port says `pass`; tells each other answer once. */
export async function untilHealthy(port: number, tell: (answer: string) => void): Promise<void> {
  let told = 'no answer';
  for (;;) {
    const answer = await askHealth(port);
    if (answer === 'pass') return;
    if (answer !== told) tell(answer);
    told = answer;
    await delay(askEveryMs);
  }
}

async function askHealth(port: number): Promise<string> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal });
    const body: unknown = await response.json();
    const passes =
      typeof body === 'object' && body !== null && 'status' in body && body.status === 'pass';
    return passes ? 'pass' : JSON.stringify(body);
  } catch {
    return 'no answer';
  }
}
