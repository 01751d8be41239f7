import { Client } from 'pg';
import { migratePostgres } from '../../../../infra/migrations/migrate.ts';
import { createLog } from '../../../../infra/runtime/process/logger.ts';
import { system } from '../../../support/system.ts';

export const log = createLog('test', 'silent');

/** A database of its own in the shared system's PostgreSQL. */
export class OwnDatabase {
  readonly url: string;
  client: Client;
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
    const url = new URL(system().databaseUrl);
    url.pathname = `/${name}`;
    this.url = url.href;
    this.client = new Client({ connectionString: this.url });
  }

  static async create(name: string, { migrated = true } = {}): Promise<OwnDatabase> {
    await administer(`DROP DATABASE IF EXISTS ${name}`);
    await administer(`CREATE DATABASE ${name}`);
    if (migrated) await migratePostgres(new OwnDatabase(name).url, log);
    return OwnDatabase.open(name);
  }

  static async open(name: string): Promise<OwnDatabase> {
    const database = new OwnDatabase(name);
    await database.client.connect();
    return database;
  }

  /** After its client was ended, so that the database could be copied. */
  async reconnect(): Promise<void> {
    this.client = new Client({ connectionString: this.url });
    await this.client.connect();
  }

  async rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const { rows } = await this.client.query<Record<string, unknown>>(text, values);
    return rows;
  }

  async drop(): Promise<void> {
    await this.client.end();
    await administer(`DROP DATABASE ${this.#name}`);
  }
}

export async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: system().databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}
