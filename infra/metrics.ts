import { collectDefaultMetrics, Registry } from '@prometheus-io/client';

export { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** A process's own metrics, with Node's beside them. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
