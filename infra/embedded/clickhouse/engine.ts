import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type * as Chdb from 'chdb';
import { asClickHouseError, type ClickHouseError, clickHouseError } from './errors.ts';
import {
  cacheBytesMax,
  engineBytesMax,
  oneQueryBytesMax,
  queriesRunningMax,
  queriesWaitingMax,
  sqlBytesMax,
} from './limits.ts';
import { createSlots, type Slots } from './slots.ts';
import { identifier, literal } from './sql.ts';

/** What holds for one request's session only. */
export type SessionSetup = {
  database: string | undefined;
  settings: ReadonlyMap<string, string>;
  /** Query parameters, escaped as ClickHouse's HTTP interface takes them. */
  parameters: ReadonlyMap<string, string>;
  /** As for a GET request: nothing may be changed. */
  readonly: boolean;
};

/** Where one query at a time runs; `pipe` is a named pipe for its result. */
export type Slot = { readonly pipe: string; readonly open: () => Chdb.Session };

/** How a statement ended. `bytes` is its answer, where that did not go into a file. */
export type Outcome =
  | { ok: true; rowsRead: number; bytesRead: number; bytes: Uint8Array }
  | { ok: false; error: ClickHouseError };

const killAgainMs = 500;
const load = createRequire(import.meta.url);

/**
 * ClickHouse in this process: sessions on one directory, each query on one of libuv's threads.
 *
 * A large result leaves the engine through a named pipe (`INTO OUTFILE`). chdb's own stream plans on the
 * event loop, which a subquery can hold for seconds, and repeats a format's head and foot for every
 * chunk; its plain answer holds the whole result.
 */
export class Engine {
  readonly #slots: Slots<Slot>;
  readonly #keeper: Chdb.Session;
  readonly #openKiller: () => Chdb.Session;
  readonly version: string;
  readonly timezone: string;

  private constructor(slots: Slot[], keeper: Chdb.Session, openKiller: () => Chdb.Session) {
    this.#slots = createSlots(slots, queriesWaitingMax);
    this.#keeper = keeper;
    this.#openKiller = openKiller;
    const about = keeper.query('SELECT version(), timezone()', 'TSV').trim().split('\t');
    this.version = about[0] ?? '';
    this.timezone = about[1] ?? '';
  }

  /** Opens the engine on `directory`, and makes its pipes in `pipeDirectory`, which must be empty. */
  static async open(directory: string, pipeDirectory: string): Promise<Engine> {
    const pipes = Array.from({ length: queriesRunningMax }, (_, at) =>
      join(pipeDirectory, `result-${at}`),
    );
    await promisify(execFile)('mkfifo', ['-m', '600', ...pipes]);
    // The first session stays: the engine lives as long as it has one.
    const keeper = sessionsOn(directory)();
    const slots = pipes.map((pipe) => ({ pipe, open: sessionsOn(directory) }));
    return new Engine(slots, keeper, sessionsOn(directory));
  }

  /** Runs `use` with a slot of its own, when it is its turn; see Slots for what it throws. */
  withSlot<R>(gone: AbortSignal, use: (slot: Slot) => Promise<R>): Promise<R> {
    return this.#slots.use(gone, use);
  }

  /**
   * Runs one statement in a session of its own. Settles when the engine has let go of it, and never
   * rejects. Where `marker`, a part of the text, is given, `gone` kills the query.
   */
  async run(
    slot: Slot,
    setup: SessionSetup,
    sql: string,
    format: string,
    gone: AbortSignal,
    marker?: string,
  ): Promise<Outcome> {
    const ended = new AbortController();
    const kill = () => {
      if (marker !== undefined) void this.#killUntil(marker, ended.signal);
    };
    gone.addEventListener('abort', kill, { once: true });
    let session: Chdb.Session | undefined;
    try {
      session = slot.open();
      const before = setupSql(setup);
      if (before !== '') await session.queryAsync(before);
      if (gone.aborted) throw clickHouseError('QUERY_WAS_CANCELLED', 'The client went away');
      const result = await session.queryAsync(sql, { format });
      const { rowsRead, bytesRead } = result;
      return { ok: true, rowsRead, bytesRead, bytes: result.bytes() };
    } catch (error) {
      return { ok: false, error: asClickHouseError(error) };
    } finally {
      ended.abort();
      gone.removeEventListener('abort', kill);
      session?.close();
    }
  }

  /** Opens the reading side of a slot's pipe. It ends when a query has written it and `hangUp` was called. */
  readPipe(slot: Slot): Readable {
    const fd = openSync(slot.pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  }

  /** A query that failed before it opened its file has left no end in the pipe: this does. */
  hangUp(slot: Slot): void {
    try {
      closeSync(openSync(slot.pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {
      // ENXIO: the reader has met the end already.
    }
  }

  /** Lets the engine go. Nothing may run any more. */
  close(): void {
    this.#keeper.close();
  }

  /** The query may not have begun, so once is not always enough. */
  async #killUntil(marker: string, ended: AbortSignal): Promise<void> {
    const sql = `KILL QUERY WHERE position(query, ${literal(marker)}) > 0 AND query NOT LIKE 'KILL%'`;
    while (!ended.aborted) {
      const session = this.#openKiller();
      await session.queryAsync(sql).catch(() => undefined);
      session.close();
      await delay(killAgainMs, undefined, { signal: ended }).catch(() => undefined);
    }
  }
}

/**
 * How to open sessions that can be closed at once. chdb puts off closing one until no operation of its
 * module runs, so next to one long query they would heap up: each caller gets the module afresh.
 */
function sessionsOn(directory: string): () => Chdb.Session {
  delete load.cache[load.resolve('chdb')];
  const { Session }: typeof Chdb = load('chdb');
  const connectionArgs = [
    `--max_server_memory_usage=${engineBytesMax}`,
    `--max_memory_usage=${oneQueryBytesMax}`,
    `--mark_cache_size=${cacheBytesMax}`,
    `--primary_index_cache_size=${cacheBytesMax}`,
    `--max_query_size=${sqlBytesMax}`,
  ];
  return () => new Session(directory, { connectionArgs });
}

function setupSql(setup: SessionSetup): string {
  const statements: string[] = [];
  if (setup.database !== undefined) statements.push(`USE ${identifier(setup.database)}`);
  const assignments = [
    ...Array.from(setup.settings, ([name, value]) => `${name} = ${literal(value)}`),
    ...Array.from(setup.parameters, ([name, value]) => `param_${name} = ${literal(value)}`),
  ];
  if (assignments.length > 0) statements.push(`SET ${assignments.join(', ')}`);
  if (setup.readonly) statements.push('SET readonly = 2');
  return statements.join('; ');
}
