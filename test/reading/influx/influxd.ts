import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/services/free-port.ts';
import { eventually } from '../../support/eventually.ts';

const program = '/usr/bin/influxd';

/** InfluxDB 1 of Debian, where it is installed, is what answers are held against. */
export const hasInfluxd = existsSync(program);

/** An InfluxDB of this test's own, on free ports and in a directory of its own. */
type Influxd = { url: string; stop: () => Promise<void> };

export async function startInfluxd(): Promise<Influxd> {
  const directory = mkdtempSync(join(tmpdir(), 'influxd-'));
  const [port, rpcPort] = [await freePort(), await freePort()];
  const at = (name: string) => JSON.stringify(join(directory, name));
  const config = join(directory, 'influxdb.conf');
  writeFileSync(
    config,
    `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
dir = ${at('meta')}
[data]
dir = ${at('data')}
wal-dir = ${at('wal')}
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
`,
  );
  const child = spawn(program, ['-config', config], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => isUp(child, url), 60_000);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'close');
      rmSync(directory, { recursive: true });
    },
  };
}

async function isUp(child: ChildProcess, url: string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error('influxd ended');
  const answer = await fetch(`${url}/ping`).catch(() => undefined);
  return answer?.status === 204;
}
