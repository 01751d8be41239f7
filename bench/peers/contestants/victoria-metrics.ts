import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { eventually } from '../../../test/support/eventually.ts';
import type { Contestant } from './contestant.ts';
import { overHttp } from '../load/http.ts';
import { lineProtocol, type Pack } from '../points.ts';
import { answersAt, ask, filesBelow, makeDataDir, startServer, totalBytes } from './server.ts';

const lookEveryMs = 250;
const mergeLookMs = 1_000;
const mergeMsMax = 300_000;
/** The label of metrics of the storage of points, in all its parts: its index of series has the same metrics. */
const ofPoints = '{type="storage/';
/** What `sensor,… value=…` becomes. */
const metricName = 'sensor_value';

const forms = {
  'victoria-metrics': { path: '/write?precision=ms', body: lineProtocol },
  'victoria-metrics-json': { path: '/api/v1/import', body: jsonLines },
};

/** VictoriaMetrics with its default settings, and points in one of its formats. */
export async function startVictoriaMetrics(
  version: string,
  name: keyof typeof forms,
): Promise<Contestant> {
  const dataDir = makeDataDir(name);
  const { path, body } = forms[name];
  const server = await startServer({
    program: 'victoria-metrics',
    dataDir,
    args: (port) => [
      `-httpListenAddr=127.0.0.1:${port}`,
      `-storageDataPath=${join(dataDir, 'storage')}`,
      '-loggerLevel=WARN',
    ],
    isReady: answersAt('/health'),
  });
  const { url } = server;
  const exported = async (format: string) => {
    const query = new URLSearchParams({ 'match[]': metricName, format });
    return (await request(`${url}/api/v1/export/csv?${query.toString()}`)).body;
  };

  const storedPoints = () => counted(url, `vm_rows${ofPoints}`);
  /** Right after a load the count of its points lacks some for a moment. */
  async function allStored(): Promise<void> {
    const isAllThere = async () => {
      await ask('GET', `${url}/internal/force_flush`);
      return (await storedPoints()) >= (await counted(url, 'vm_rows_added_to_storage_total '));
    };
    await eventually(isAllThere, mergeMsMax, lookEveryMs);
  }

  return {
    ...server,
    ...overHttp({ url, path, format: (pack) => ({ headers: {}, body: body(pack) }) }),
    name,
    promise:
      `VictoriaMetrics ${version}: parsed and in memory, written to disk some seconds later ` +
      '(lost if it is killed before); readable within a second or so',
    allStored,
    storedPoints,
    async bytesPerPoint() {
      await allStored();
      await eventually(async () => {
        const merges = await counted(url, `vm_active_merges${ofPoints}`);
        const inMemory = await counted(url, `vm_rows${ofPoints}inmemory`);
        if (merges > 0 || inMemory > 0) return false;
        if ((await counted(url, `vm_parts${ofPoints}`)) === 1) return true;
        // A second time: data that was in memory at the first has become a part since.
        await ask('GET', `${url}/internal/force_merge`);
        await delay(mergeLookMs);
        return false;
      }, mergeMsMax);
      const files = ['small', 'big'].flatMap((parts) =>
        filesBelow(join(dataDir, 'storage/data', parts)),
      );
      return totalBytes(files) / (await storedPoints());
    },
    exportCsv: () => exported('__name__,publisher,name,__value__,__timestamp__:unix_ms'),
    exportThreeColumns: () => exported('__timestamp__:unix_ms,name,__value__'),
  };
}

/** The sum of the metrics whose name and labels begin so. */
async function counted(url: string, beginning: string): Promise<number> {
  const lines = (await ask('GET', `${url}/metrics`)).split('\n');
  return lines
    .filter((line) => line.startsWith(beginning))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** A line for each series with all of its values. */
function jsonLines({ publisher, points }: Pack): string {
  const series = new Map<string, { values: number[]; timestamps: number[] }>();
  for (const { name, timeMs, value } of points) {
    const line = series.get(name) ?? { values: [], timestamps: [] };
    line.values.push(value);
    line.timestamps.push(timeMs);
    series.set(name, line);
  }
  return [...series]
    .map(([name, line]) => {
      const metric = { __name__: metricName, name, publisher: String(publisher) };
      return `${JSON.stringify({ metric, ...line })}\n`;
    })
    .join('');
}
