import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { generate } from 'mqtt-packet';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { cpuSeconds } from '../../../test/support/usage.ts';

/** Debian puts it here, and its service on port 1883, which is no part of this. */
const path = '/usr/sbin/mosquitto';

export const hasMosquitto = (): boolean => existsSync(path);

/** A mosquitto of the benchmark's own. */
type Mosquitto = { port: number; cpuSeconds(): number; stop(): Promise<void> };

/**
 * Without persistence nothing that it acknowledges is kept. With it, a session that is away wants every message, and the
 * broker writes all that waits for it to the disk each second: as near to our promise as it comes.
 */
export async function startMosquitto(directory: string, persistent: boolean): Promise<Mosquitto> {
  mkdirSync(directory, { recursive: true });
  const port = await pickPortsInRow(1);
  const config = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'user root',
    'log_type error',
    // Each connection has that many under way.
    'max_inflight_messages 0',
    ...(persistent
      ? [
          'persistence true',
          `persistence_location ${directory}/`,
          'autosave_interval 1',
          'max_queued_messages 0',
        ]
      : ['persistence false']),
  ];
  const file = join(directory, 'mosquitto.conf');
  writeFileSync(file, `${config.join('\n')}\n`);
  const child = spawn(path, ['-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await eventually(() => answers(port));
  if (persistent) await leaveSession(port);
  return {
    port,
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // All that waits is written once more when it is asked to stop.
  child.kill('SIGKILL');
  await exited;
}

async function answers(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

/** A session that subscribes to all, and goes. */
async function leaveSession(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const said = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4 } as const;
  socket.write(generate({ ...said, clientId: 'away', clean: false, keepalive: 0 }));
  await once(socket, 'data');
  socket.write(
    generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] }),
  );
  await once(socket, 'data');
  socket.end(generate({ cmd: 'disconnect' }));
  await once(socket, 'close');
}
