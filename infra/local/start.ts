import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedPostgres } from './embedded/postgres.ts';
import { embeddedRedis } from './embedded/redis.ts';
import { ensureRedisServer } from './embedded/redis-package.ts';
import { type Addresses, chooseAddresses } from './installation/addresses.ts';
import type { Command } from './supervisor/child.ts';
import { embeddedConnections, mustHaveRoom } from './installation/connections.ts';
import { readStartConfig, type StartConfig } from './installation/config.ts';
import { untilHealthy } from './supervisor/healthy.ts';
import { limits } from './limits.ts';
import { type LocalSecrets, loadLocalSecrets } from './installation/local-secrets.ts';
import { ourProcesses } from './installation/processes.ts';
import { openRunFile } from './installation/run-file.ts';
import { stopRequests } from './supervisor/stop-requests.ts';
import { summary } from './installation/summary.ts';
import { lockDataDir, takeOver } from './installation/take-over.ts';
import { openTerminal } from './supervisor/terminal.ts';
import { createSupervisor, type Service, type Supervisor } from './supervisor/supervisor.ts';

/*
 * `npm start`: all of Millrace on one machine. Each step leans on the ones before it, and the stop goes
 * the same way back.
 */

/** What `npm run openapi` makes: the console is built from it. */
const generated = join(import.meta.dirname, '../../schemas/client/generated/routes.ts');

async function main(): Promise<void> {
  // Whatever any of the processes writes is for its user alone.
  process.umask(0o077);
  const config = readStartConfig(process.env);
  const stop = stopRequests();
  const terminal = openTerminal(() => stop.request());
  const tell = (message: string) => terminal.say('start', 'info', message);

  lockDataDir(config.dataDir);
  const childrenLock = await Promise.race([takeOver(config.dataDir, tell), stop.requested]);
  if (childrenLock === undefined) return;
  const secrets = loadLocalSecrets(config.dataDir);
  const addresses = await chooseAddresses(config, secrets);
  const runFile = openRunFile(config, secrets, addresses, (message) =>
    terminal.say('start', 'warn', message),
  );
  const supervisor = createSupervisor(terminal, runFile, childrenLock.descriptor);

  let cutShort = false;
  stop.onSecond(() => {
    cutShort = true;
    supervisor.killAll();
  });
  try {
    await Promise.race([
      stop.requested,
      bringUp(supervisor, config, secrets, addresses, tell).then(() => {
        process.stdout.write(summary(config, secrets, addresses));
        return stop.requested;
      }),
    ]);
  } finally {
    await supervisor.stop();
    runFile.remove();
  }
  if (cutShort) throw new Error('stopped at once; the next start recovers what was under way');
}

async function bringUp(
  supervisor: Supervisor,
  config: StartConfig,
  secrets: LocalSecrets,
  addresses: Addresses,
  tell: (message: string) => void,
): Promise<void> {
  const run = (command: Command, shareMs: number) => supervisor.run(command, shareMs);
  const processes = ourProcesses(config, secrets, addresses);
  const { dataDir, inherited } = config;
  const { enginePorts } = addresses;
  const path = inherited['PATH'] ?? '';

  const engines: Service[] = [];
  if (config.redisUrl === undefined) {
    const server = await ensureRedisServer({ env: inherited, dataDir, run, tell });
    const password = secrets.redisPassword;
    engines.push(embeddedRedis({ server, dataDir, port: enginePorts.redis, password, path }));
  }
  if (config.databaseUrl === undefined) {
    const password = secrets.postgresPassword;
    const port = enginePorts.postgres;
    const connections = embeddedConnections(config.ingestProcesses);
    engines.push(await embeddedPostgres({ dataDir, port, password, connections, path, run }));
  } else {
    await mustHaveRoom(config.databaseUrl, config.ingestProcesses);
  }
  if (config.clickhouseUrl === undefined) engines.push(processes.clickhouse());

  // An install makes it. A worktree that was given the packages of another one has none.
  if (!existsSync(generated)) await run(processes.openapi(), limits.stopMsMax.migrate);

  // They start side by side, and stop one after the other.
  await Promise.all(engines.map((engine) => supervisor.start(engine)));
  await run(processes.migrate(), limits.stopMsMax.migrate);
  await supervisor.start(...processes.ingest());
  await supervisor.start(processes.api(), processes.workers());
  await untilHealthy(addresses.ingestPort, (answer) => tell(`waiting for ingest: ${answer}`));
  await untilHealthy(addresses.apiPort, (answer) => tell(`waiting for api: ${answer}`));
  await untilHealthy(addresses.workersPort, (answer) => tell(`waiting for workers: ${answer}`));
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`millrace: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
