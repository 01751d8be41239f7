import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { eventually } from '../../../test/support/eventually.ts';
import type { Contestant } from './contestant.ts';
import { overHttp } from '../load/http.ts';
import { lineProtocol } from '../points.ts';
import { answersAt, ask, filesBelow, makeDataDir, startServer, totalBytes } from './server.ts';

const database = 'bench';
const mergeMsMax = 300_000;
const csvType = 'application/csv';

/** InfluxDB with its index on disk and its log as by default; `merging`: files are merged once writes stop. */
export async function startInfluxDb(version: string, merging: boolean): Promise<Contestant> {
  const dataDir = makeDataDir('influxdb');
  const configPath = join(dataDir, 'influxdb.conf');
  const server = await startServer({
    program: 'influxd',
    dataDir,
    args(port) {
      writeFileSync(configPath, config(dataDir, port, merging));
      return ['run', '-config', configPath];
    },
    isReady: answersAt('/ping'),
  });
  const query = (text: string, parameters = '') =>
    `${server.url}/query?db=${database}&q=${encodeURIComponent(text)}${parameters}`;
  await ask('POST', query(`CREATE DATABASE ${database}`));

  async function storedPoints(): Promise<number> {
    const answer: unknown = JSON.parse(await ask('GET', query('SELECT count(value) FROM sensor')));
    const [result] = Object(answer).results;
    return Number(result.series?.[0].values[0][1] ?? 0);
  }

  return {
    ...server,
    name: 'influxdb',
    ...overHttp({
      url: server.url,
      path: `/write?db=${database}&precision=ms`,
      format: (pack) => ({ headers: {}, body: lineProtocol(pack) }),
    }),
    promise: `InfluxDB ${version}: validated, in its log and synced to disk (it has no other form); readable at once`,
    allStored: async () => undefined,
    storedPoints,
    async bytesPerPoint() {
      await eventually(() => isMerged(dataDir), mergeMsMax);
      const files = filesBelow(join(dataDir, 'data', database)).filter(isPoints);
      return totalBytes(files) / (await storedPoints());
    },
    async exportCsv() {
      const url = query('SELECT value FROM sensor GROUP BY *', '&chunked=true&epoch=ms');
      return (await request(url, { headers: { accept: csvType } })).body;
    },
  };
}

/** Whether the log is empty, and each shard has one file. */
function isMerged(dataDir: string): boolean {
  const shards = filesBelow(join(dataDir, 'data', database))
    .filter(isPoints)
    .map(dirname);
  return (
    totalBytes(filesBelow(join(dataDir, 'wal'))) === 0 && new Set(shards).size === shards.length
  );
}

function isPoints(path: string): boolean {
  return path.endsWith('.tsm') || path.endsWith('.tsm.tmp');
}

/** Without an access log and reports about itself: both would only cost time. */
function config(dataDir: string, port: number, merging: boolean): string {
  const coldDurations = merging
    ? 'cache-snapshot-write-cold-duration = "1s"\n  compact-full-write-cold-duration = "2s"'
    : '';
  return `
reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
  dir = "${dataDir}/meta"
  logging-enabled = false
[data]
  dir = "${dataDir}/data"
  wal-dir = "${dataDir}/wal"
  index-version = "tsi1"
  query-log-enabled = false
  ${coldDurations}
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[logging]
  level = "warn"
`;
}
