import { Bench as Micro } from 'tinybench';
import { isSmoke } from './load/durations.ts';

const taskMs = isSmoke ? 100 : 200;
const rounds = 3;

/**
 * Samples a second of each task, by the median sample of its best round: whatever else the machine does can only
 * slow a round down. The tasks take turns.
 */
export async function perSecond<Name extends string>(
  tasks: Record<Name, () => void>,
): Promise<(name: Name) => number> {
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const run = new Micro({ time: taskMs, warmupTime: taskMs, throws: true });
    for (const [name, task] of Object.entries<() => void>(tasks)) {
      run.add(name, task, { async: false });
    }
    await run.run();
    for (const { name, result } of run.tasks) {
      if (result.state !== 'completed') throw new Error(`${name} was not measured`);
      best.set(name, Math.max(best.get(name) ?? 0, 1_000 / result.latency.p50));
    }
  }
  return (name) => best.get(name) ?? Number.NaN;
}
