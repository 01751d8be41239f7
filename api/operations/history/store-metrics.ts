import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { Gauge, type Registry } from '../../../infra/runtime/observability/metrics.ts';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { onServers } from '../../../infra/runtime/stores/cluster.ts';
import { limits } from '../../limits.ts';

const Row = Type.Tuple([
  Type.Object({ bytes: Type.Number(), parts: Type.Number(), merges: Type.Number() }),
]);

/** The size and the work of the store, by its system tables; on a cluster, of all servers together. */
export function measureStore(registry: Registry, clickhouse: ClickHouseClient): void {
  const { cluster } = clickhouse;
  const query = `
    SELECT toFloat64(sum(bytes_on_disk)) AS bytes, toFloat64(count()) AS parts,
      toFloat64((SELECT count() FROM ${onServers(cluster, 'system.merges')}
                 WHERE database = currentDatabase())) AS merges
    FROM ${onServers(cluster, 'system.parts')}
    WHERE database = currentDatabase() AND active`;

  async function read() {
    // Nobody who reads metrics waits for a store that hangs.
    const abort_signal = AbortSignal.timeout(limits.healthProbeMsMax);
    const result = await clickhouse.query({
      query,
      format: 'JSONEachRow',
      abort_signal,
      clickhouse_settings: { max_threads: 1 },
    });
    return Value.Parse(Row, await result.json())[0];
  }

  // One query is for all gauges, and it is the dearest of what an idle system does: so it is not asked each time.
  let reading: { row: ReturnType<typeof read>; untilMs: number } | undefined;
  const once = () => {
    const nowMs = performance.now();
    if (reading === undefined || reading.untilMs < nowMs) {
      reading = { row: read(), untilMs: nowMs + limits.storeSizeMs };
    }
    return reading.row;
  };
  const gauge = (name: 'bytes' | 'parts' | 'merges', help: string) => {
    const metric: Gauge = new Gauge({
      name: `millrace_store_${name}`,
      help,
      registers: [registry],
      async collect() {
        const row = await once().catch(() => undefined);
        // Absent while the store is away.
        metric.remove();
        if (row !== undefined) metric.set(row[name]);
      },
    });
  };
  gauge('bytes', 'Bytes of the store on disks');
  gauge('parts', 'Active parts of the store: each insert adds some, and merges join them');
  gauge('merges', 'Merges that run');
}
