import { setTimeout as delay } from 'node:timers/promises';

/** Of one core. */
const calmShare = 0.3;
const lookMs = 500;
const looksMax = 40;

/** Waits until what has used these CPU seconds has finished earlier work, so that it does not slow down the next one. */
export async function calm(cpuSeconds: () => number): Promise<void> {
  for (let look = 0; look < looksMax; look++) {
    const before = cpuSeconds();
    await delay(lookMs);
    if (cpuSeconds() - before < (calmShare * lookMs) / 1_000) return;
  }
}
