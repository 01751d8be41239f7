import { join } from 'node:path';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { modulesPath, unpackedVersion } from '../contestants/installed.ts';
import { type Broker, type BrokerKind, floors, leaveSession, runBroker } from './broker.ts';

const server = join(import.meta.dirname, 'aedes-server.ts');

/** The broker for Node that install.sh unpacks: with its messages in memory, and in LevelDB, which does not sync. */
export function aedes(): BrokerKind[] {
  const version = unpackedVersion('aedes');
  if (version === undefined) return [];
  const name = `aedes ${version}`;
  return [
    { name, floor: floors.withoutDisk, start: () => start() },
    { name: `${name}, in LevelDB`, floor: floors.withDisk, start },
  ];
}

async function start(directory?: string): Promise<Broker> {
  const port = await pickPortsInRow(1);
  const args = [server, modulesPath('aedes'), String(port), ...(directory ? [directory] : [])];
  const broker = await runBroker(process.execPath, args, port);
  if (directory !== undefined) await leaveSession(port);
  return broker;
}
