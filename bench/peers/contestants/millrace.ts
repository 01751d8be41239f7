import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import { bytesPerRecord } from '../../../test/support/messages/stored.ts';
import { type Bench, metric } from '../../harness/setup.ts';
import { groupSeconds } from '../../harness/threads.ts';
import type { Contestant } from './contestant.ts';
import { overHttp } from '../load/http.ts';
import { lineProtocol, type Pack } from '../points.ts';
import { treeCpuSeconds, treeResidentBytes } from '../processes.ts';

const lookEveryMs = 250;
const mergeMsMax = 3_600_000;

const forms = {
  senml: { path: '/http/messages', type: 'application/senml+json', body: senml },
  lines: { path: '/write?precision=ms', type: 'text/plain', body: lineProtocol },
};

/** The whole system that `npm start` gives, its databases and idle workers included. */
export async function millrace(bench: Bench, form: keyof typeof forms): Promise<Contestant> {
  const { system, fleet, credentials } = bench;
  const { path, type, body } = forms[form];
  const edges = [await system.pid('ingest')];
  const store = await system.pid('clickhouse');
  const cpuSeconds = () => treeCpuSeconds(system.supervisorPid);
  const exported = async (parameters: string) => {
    const headers = { authorization: `Bearer ${fleet.token}` };
    const url = `${system.apiUrl}/reader/senml/export?convert=csv${parameters}`;
    return (await request(url, { headers })).body;
  };
  return {
    name: 'millrace',
    promise:
      'authenticated, validated, in its log and synced to disk; readable once stored, within a second',
    ...overHttp({
      url: system.ingestUrl,
      path,
      format: (pack) => ({
        headers: { 'Content-Type': type, Authorization: credentials[pack.publisher] ?? '' },
        body: body(pack),
      }),
    }),
    cpuSeconds,
    cpuByGroup: () => groupSeconds({ edges, store, all: cpuSeconds() }),
    residentBytes: () => treeResidentBytes(system.supervisorPid),
    async allStored() {
      while ((await metric(system.ingestUrl, 'millrace_sink_pending_bytes')) > 0) {
        // Each look costs CPU, which is measured here.
        await delay(lookEveryMs);
      }
    },
    storedPoints: () => bench.storedRecords(),
    async bytesPerPoint() {
      const clickhouse = openClickHouse(system.clickhouseUrl, 'millrace-bench', mergeMsMax);
      await clickhouse.command({ query: 'OPTIMIZE TABLE senml FINAL' });
      const bytes = await bytesPerRecord(clickhouse, 'senml');
      await clickhouse.close();
      return bytes;
    },
    exportCsv: () => exported(''),
    exportThreeColumns: () => exported('&columns=time,name,value'),
    // It is stopped where it was started.
    stop: async () => undefined,
  };
}

/** As a device of ours would send them. */
function senml({ publisher, points }: Pack): string {
  const second = Math.floor((points[0]?.timeMs ?? 0) / 1_000);
  const records = points.map(({ name, timeMs, value }, at) => {
    const offset = timeMs - second * 1_000;
    return {
      ...(at === 0 ? { bn: `urn:dev:mr:${publisher}:`, bt: second, bu: 'Cel' } : {}),
      n: name,
      ...(offset === 0 ? {} : { t: offset / 1_000 }),
      v: value,
    };
  });
  return JSON.stringify(records);
}
