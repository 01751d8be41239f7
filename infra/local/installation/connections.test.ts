import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  connectionsNeeded,
  postgresConnections,
} from '../../runtime/stores/postgres-connections.ts';
import { embeddedConnections } from './connections.ts';

const root = join(import.meta.dirname, '../../..');

it('the embedded PostgreSQL has connections for the highest number of edges', () => {
  expect(embeddedConnections(1)).toBe(100);
  expect(embeddedConnections(64)).toBeGreaterThan(connectionsNeeded(64));
});

/** What an operator runs now and then takes of the spare connections. */
const ofOperators = ['barriers/retire.ts'];

it('every pool is counted: one that is added has its row in infra/runtime/stores/postgres-connections.ts', () => {
  for (const [room, pools] of Object.entries(postgresConnections)) {
    const opened = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .filter((path) => !ofOperators.includes(path))
      .flatMap((path) => [
        ...readFileSync(join(root, room, path), 'utf8').matchAll(/openPostgres\(/g),
      ]);
    expect([room, opened.length]).toEqual([room, Object.keys(pools).length]);
  }
});
