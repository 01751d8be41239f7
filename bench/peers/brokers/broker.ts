import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { generate } from 'mqtt-packet';
import { eventually } from '../../../test/support/eventually.ts';
import { cpuSeconds } from '../../../test/support/usage.ts';

/** A broker of another project on loopback, with its own data. */
export type Broker = { port: number; cpuSeconds(): number; stop(): Promise<void> };

/** Brokers that can be started. */
export type BrokerKind = {
  name: string;
  /** How often its rate of acknowledgements ours must be. */
  floor: number;
  /** `directory` is there, and empty. */
  start(directory: string): Promise<Broker>;
};

/** Without a disk nothing that a broker acknowledges is kept; with one, it is some time later. */
export const floors = { withoutDisk: 3, withDisk: 4 } as const;

/** Runs a broker that listens on this port of loopback, and waits until it does. */
export async function runBroker(command: string, args: string[], port: number): Promise<Broker> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await eventually(() => answers(port));
  return { port, cpuSeconds: () => cpuSeconds(child.pid ?? 0), stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // Asked to stop, one that has a disk would write all that waits once more.
  child.kill('SIGKILL');
  await exited;
}

async function answers(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

/** A session that wants all messages, and is away: so a broker with a disk has to write them there. */
export async function leaveSession(port: number): Promise<void> {
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
