import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { eventually } from '../../support/eventually.ts';

const program = '/usr/bin/influxd';

/** Whether Debian's InfluxDB is there to be asked. */
export const isInstalled = existsSync(program);

/** An InfluxDB of its own, with the database `d`, at `url`. */
export class InfluxDb {
  readonly url: string;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(url: string, directory: string, child: ChildProcess) {
    this.url = url;
    this.#directory = directory;
    this.#process = child;
  }

  static async start(): Promise<InfluxDb> {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-influxdb-'));
    const port = await pickPortsInRow(2);
    const path = join(directory, 'influxdb.conf');
    writeFileSync(
      path,
      `
reporting-disabled = true
bind-address = "127.0.0.1:${port + 1}"
[meta]
  dir = "${directory}/meta"
[data]
  dir = "${directory}/data"
  wal-dir = "${directory}/wal"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
`,
    );
    const child = spawn(program, ['run', '-config', path], { stdio: 'ignore' });
    const started = new InfluxDb(`http://127.0.0.1:${port}`, directory, child);
    await eventually(async () => {
      const query = `q=${encodeURIComponent('CREATE DATABASE d')}`;
      const { statusCode, body } = await request(`${started.url}/query?${query}`, {
        method: 'POST',
      });
      await body.dump();
      return statusCode === 200;
    });
    return started;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    rmSync(this.#directory, { recursive: true });
  }
}
