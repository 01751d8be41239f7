/**
 * The broker aedes as a server on loopback.
 *
 * Arguments: the directory that has its modules, the port, and where LevelDB keeps its messages; without that, they are in
 * memory.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

type Aedes = {
  Aedes: { createBroker(options: object): Promise<{ handle(socket: Socket): void }> };
};
type Level = { Level: new (directory: string) => object };
type LevelPersistence = (level: object) => object;

const [modules = '', port = '', directory] = process.argv.slice(2);
const load = createRequire(join(modules, 'server.js'));

function persistence(): object {
  if (directory === undefined) return {};
  const { Level }: Level = load('level');
  const levelPersistence: LevelPersistence = load('aedes-persistence-level');
  return { persistence: levelPersistence(new Level(directory)) };
}

const { Aedes }: Aedes = load('aedes');
const broker = await Aedes.createBroker(persistence());
const listening = createServer({ noDelay: true }, (socket) => broker.handle(socket));
listening.listen(Number(port), '127.0.0.1');
await once(listening, 'listening');
