import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type * as Chdb from 'chdb';
import { asClickHouseError, ClickHouseError, clickHouseError } from '../errors.ts';
import {
  cacheBytesMax,
  engineBytesMax,
  oneQueryBytesMax,
  queriesRunningMax,
  queriesWaitingMax,
  runningMax,
  sqlBytesMax,
} from '../limits.ts';
import { createSlots, type Slots } from './slots.ts';
import { identifier, literal, type Statement } from '../sql/statement.ts';

/** What holds for one request's session only. */
export type SessionSetup = {
  /** Stands in `system.processes` as the query's `log_comment`: the engine takes no ids of ours. */
  queryId: string;
  database: string | undefined;
  roles: readonly string[];
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
  | { ok: true; rowsRead: number; bytesRead: number; seconds: number; bytes: Uint8Array }
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
  readonly #slots: Readonly<Record<Statement['kind'], Slots<Slot>>>;
  readonly #running = new Set<Promise<Outcome>>();
  readonly #keeper: Chdb.Session;
  readonly #openKiller: () => Chdb.Session;
  readonly #pipeDirectory: string;
  #runs = 0;
  readonly version: string;
  readonly timezone: string;

  private constructor(
    slots: Slot[],
    keeper: Chdb.Session,
    openKiller: () => Chdb.Session,
    pipeDirectory: string,
  ) {
    const left = [...slots];
    const some = (count: number) => createSlots(left.splice(0, count), queriesWaitingMax);
    const { rows, insert, command } = runningMax;
    this.#slots = { rows: some(rows), insert: some(insert), command: some(command) };
    this.#keeper = keeper;
    this.#openKiller = openKiller;
    this.#pipeDirectory = pipeDirectory;
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
    // A reader that never reads: opening the other side must not block the engine's thread.
    for (const pipe of pipes) openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    // Each copy of chdb's module listens for the exit.
    process.setMaxListeners(process.getMaxListeners() + queriesRunningMax + 2);
    // The first session stays: the engine lives as long as it has one.
    const keeper = sessionsOn(directory)();
    const slots = pipes.map((pipe) => ({ pipe, open: sessionsOn(directory) }));
    return new Engine(slots, keeper, sessionsOn(directory), pipeDirectory);
  }

  /** Runs `use` with a slot for such a statement, when it is its turn; see Slots for what it throws. */
  withSlot<R>(
    kind: Statement['kind'],
    gone: AbortSignal,
    use: (slot: Slot) => Promise<R>,
  ): Promise<R> {
    return this.#slots[kind].use(gone, use);
  }

  /**
   * Runs one statement in a session of its own. Settles when the engine has let go of it, and never
   * rejects. Where that does no harm, `gone` kills the query.
   */
  run(
    slot: Slot,
    setup: SessionSetup,
    sql: string,
    format: string,
    gone: AbortSignal,
    mayKill = false,
  ): Promise<Outcome> {
    const outcome = this.#run(slot, setup, sql, format, gone, mayKill);
    this.#running.add(outcome);
    void outcome.then(() => this.#running.delete(outcome));
    return outcome;
  }

  async #run(
    slot: Slot,
    setup: SessionSetup,
    sql: string,
    format: string,
    gone: AbortSignal,
    mayKill: boolean,
  ): Promise<Outcome> {
    this.#runs += 1;
    // Clients may give an id twice.
    const mark = `${setup.queryId} ${this.#runs}`;
    const ended = new AbortController();
    let killed = Promise.resolve();
    const kill = () => {
      if (mayKill) killed = this.#killUntil(mark, ended.signal);
    };
    gone.addEventListener('abort', kill, { once: true });
    let session: Chdb.Session | undefined;
    try {
      session = slot.open();
      await session.queryAsync(setupSql(setup, mark));
      if (gone.aborted) throw clickHouseError('QUERY_WAS_CANCELLED', 'The client went away');
      const result = await session.queryAsync(sql, { format });
      const { rowsRead, bytesRead, elapsed } = result;
      return { ok: true, rowsRead, bytesRead, seconds: elapsed, bytes: result.bytes() };
    } catch (error) {
      return { ok: false, error: withoutPaths(asClickHouseError(error), this.#pipeDirectory) };
    } finally {
      gone.removeEventListener('abort', kill);
      ended.abort();
      await killed;
      session?.close();
    }
  }

  /**
   * What a query writes into its slot's pipe, to the end of both. Must be read to its end: the engine's
   * thread waits for whoever reads.
   */
  async *readPipe(slot: Slot, outcome: Promise<Outcome>): AsyncGenerator<Buffer> {
    let over = false;
    // A query that failed before it opened the pipe has left no end in it.
    void outcome.finally(() => {
      over = true;
      hangUp(slot.pipe);
    });
    // An end before the query's own is not its last word.
    while (!over) {
      const fd = openSync(slot.pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      yield* new Socket({ fd, readable: true, writable: false });
    }
  }

  isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Lets the engine go, once nothing runs in it any more. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
    this.#keeper.close();
  }

  /** The query may not have begun, so once is not always enough. */
  async #killUntil(mark: string, ended: AbortSignal): Promise<void> {
    const sql = `KILL QUERY WHERE Settings['log_comment'] = ${literal(mark)}`;
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
    // A server has it off; where a request turns it on, the SELECT is written before the query is run.
    '--implicit_select=0',
    // Each part that a deletion touches is a task, and where no slot is free ClickHouse sleeps before it looks
    // again: 76 parts took 12 s with the 4 slots of two cores, and 1.4 s with the 32 it has elsewhere.
    `--background_merges_mutations_concurrency_ratio=16`,
  ];
  return () => new Session(directory, { connectionArgs });
}

/** Ends a pipe for its reader, if nobody else writes into it. */
function hangUp(pipe: string): void {
  closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
}

/** The files between a request and the engine are nothing that a client knows of. */
function withoutPaths(error: ClickHouseError, directory: string): ClickHouseError {
  const text = error.message.replaceAll(`${directory}/`, '');
  return text === error.message ? error : new ClickHouseError(error.code, text);
}

function setupSql(setup: SessionSetup, mark: string): string {
  const statements: string[] = [];
  if (setup.database !== undefined) statements.push(`USE ${identifier(setup.database)}`);
  if (setup.roles.length > 0) statements.push(`SET ROLE ${setup.roles.map(identifier).join(', ')}`);
  const assignments = [
    ...Array.from(setup.settings, ([name, value]) => `${name} = ${literal(value)}`),
    ...Array.from(setup.parameters, ([name, value]) => `param_${name} = ${literal(value)}`),
  ];
  if (assignments.length > 0) statements.push(`SET ${assignments.join(', ')}`);
  statements.push(`SET log_comment = ${literal(mark)}`);
  if (setup.readonly) statements.push('SET readonly = 2');
  return statements.join('; ');
}
