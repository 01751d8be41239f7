import { cpSync } from 'node:fs';
import type { Session } from 'chdb';
import { querySettings } from '../../../api/messages/store/settings.ts';
import { sessionsOn } from '../../../infra/local/clickhouse/engine/sessions.ts';
import { clickhouseDatabase } from '../../../infra/runtime/stores/clickhouse.ts';

/**
 * The embedded engine without its server, in this process, on a copy of a store in which nothing changes. `use` asks
 * it with the settings of the reader's queries.
 */
export async function withEngineAlone<R>(
  [store, copy]: readonly [string, string],
  use: (engine: Session) => Promise<R>,
): Promise<R> {
  cpSync(store, copy, { recursive: true });
  const engine = sessionsOn(copy).open();
  try {
    const settings = Object.entries(querySettings).map(([name, value]) => `${name} = '${value}'`);
    await engine.queryAsync(`USE ${clickhouseDatabase}; SET ${settings.join(', ')}`);
    return await use(engine);
  } finally {
    engine.close();
  }
}
