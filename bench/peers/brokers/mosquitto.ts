import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { programPath, unpackedVersion } from '../contestants/installed.ts';
import { type Broker, type BrokerKind, floors, leaveSession, runBroker } from './broker.ts';

/** Debian puts it here, and its service on port 1883, which is no part of this. */
const installedPath = '/usr/sbin/mosquitto';

/** The one of this machine's Debian, and the one that install.sh unpacks. */
export function mosquittos(): BrokerKind[] {
  const installed = existsSync(installedPath) ? bothOf('mosquitto', installedPath) : [];
  const version = unpackedVersion('mosquitto');
  if (version === undefined) return installed;
  const name = `mosquitto ${version.split('-')[0]}`;
  return [...installed, ...bothOf(name, programPath('mosquitto'))];
}

const bothOf = (name: string, path: string): BrokerKind[] => [
  { name, floor: floors.withoutDisk, start: (directory) => start(path, directory, false) },
  {
    name: `${name}, saving each second`,
    floor: floors.withDisk,
    start: (directory) => start(path, directory, true),
  },
];

async function start(path: string, directory: string, saves: boolean): Promise<Broker> {
  const port = await pickPortsInRow(1);
  const config = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'user root',
    'log_type error',
    // Each connection has that many under way.
    'max_inflight_messages 0',
    ...(saves
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
  const broker = await runBroker(path, ['-c', file], port);
  if (saves) await leaveSession(port);
  return broker;
}
