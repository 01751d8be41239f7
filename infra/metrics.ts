import { collectDefaultMetrics, Registry } from '@prometheus-io/client';

export { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** A process's own metrics, with Node's beside them. */
export function createMetrics(): Registry {
  const registry = new Registry();
  // Its clock wakes a process that has nothing to do: 20 times a second, and not 100.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  return registry;
}
