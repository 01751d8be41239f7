import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { ClickHouseClient } from '../../infra/runtime/stores/clickhouse.ts';
import type { Pool } from '../../infra/runtime/stores/postgres.ts';
import { registerNoticeMetrics } from './notices/metrics.ts';
import { startEndings } from './endings.ts';
import { registerLookMetrics } from './look-metrics.ts';
import { startCorrections } from './corrections/look.ts';
import { registerCorrectionMetrics } from './corrections/metrics.ts';
import { startNotices } from './notices/look.ts';
import { startSilence } from './silence/look.ts';

type AlarmParts = {
  pool: Pool;
  clickhouse: ClickHouseClient;
  publicUrl: string;
  registry: Registry;
  logger: Logger;
};

/** Tells receivers of alarms. `lifecycle` closes what is opened here, in reverse order. */
export function startAlarms(lifecycle: Lifecycle, parts: AlarmParts): void {
  const { pool, clickhouse, publicUrl, registry, logger } = parts;
  const metrics = registerNoticeMetrics(registry);
  lifecycle.closing('notices', startNotices({ pool, publicUrl, metrics, logger }));
  const past = registerLookMetrics(registry, 'corrections', 'history was looked at again');
  const silent = registerLookMetrics(registry, 'silence', 'silence was looked for');
  const corrections = { ...past, ...registerCorrectionMetrics(registry, pool) };
  lifecycle.closing(
    'corrections',
    startCorrections({ pool, clickhouse, metrics: corrections, logger }),
  );
  lifecycle.closing('endings', startEndings({ pool, logger }));
  lifecycle.closing('silence', startSilence({ pool, metrics: silent, logger }));
}
