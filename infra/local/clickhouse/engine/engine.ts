import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type * as Chdb from 'chdb';
import { sleep } from '../../../runtime/process/sleep.ts';
import { asClickHouseError, ClickHouseError, clickHouseError } from '../errors.ts';
import { limits } from '../limits.ts';
import { identifier, literal, type Statement } from '../statement.ts';
import { baseNiceness, nicenessOf } from './niceness.ts';
import { ResultPipe } from './result-pipe.ts';
import { type Sessions, sessionsOn } from './sessions.ts';
import { createSlots, type Slots } from './slots.ts';

/** The settings of one request's session. */
export type SessionSetup = {
  /** Stands in `system.processes` as the query's `log_comment`: the engine takes no ids of ours. */
  queryId: string;
  database: string | undefined;
  settings: ReadonlyMap<string, string>;
  /** Query parameters, escaped as ClickHouse's HTTP interface takes them. */
  parameters: ReadonlyMap<string, string>;
  /** As for a GET request: nothing may be changed. */
  readonly: boolean;
};

/** Where one query at a time runs; `pipe` is for its result. */
type Slot = {
  readonly number: number;
  readonly pipe: ResultPipe;
  readonly sessions: Sessions;
};

/** A query's `log_comment`. Clients may give an id twice at a time; a slot has one query at a time. */
export function markOf(slot: Slot, { queryId }: SessionSetup): string {
  return `${queryId} ${slot.number}`;
}

/** How a statement ended. `bytes` is its answer, where that did not go into a file. */
export type QueryOutcome =
  | { ok: true; rowsRead: number; bytesRead: number; seconds: number; bytes: Uint8Array }
  | { ok: false; error: ClickHouseError };

const killAgainMs = 500;

/**
 * ClickHouse in this process: sessions on one directory, each query on one of libuv's threads.
 *
 * The result of a SELECT leaves the engine through a named pipe (`INTO OUTFILE`), however large it is. chdb's own
 * stream plans on the event loop, which a subquery can hold for seconds, and repeats a format's head and foot for
 * every chunk; its plain answer holds the whole result.
 */
export class Engine {
  readonly #slots: Readonly<Record<Statement['kind'], Slots<Slot>>>;
  readonly #running = new Set<Promise<QueryOutcome>>();
  readonly #keeper: Chdb.Session;
  readonly #killers: Sessions;
  readonly #all: readonly Slot[];
  readonly #pipeDirectory: string;
  /** Undefined: threads may not be of different niceness. */
  readonly #niceness: number | undefined;
  readonly version: string;
  readonly timezone: string;

  private constructor(
    slots: Slot[],
    keeper: Chdb.Session,
    killers: Sessions,
    pipeDirectory: string,
    niceness: number | undefined,
  ) {
    const left = [...slots];
    const some = (count: number) => createSlots(left.splice(0, count), limits.queriesWaitingMax);
    const { rows, insert, command } = limits.runningMax;
    this.#slots = { rows: some(rows), insert: some(insert), command: some(command) };
    this.#keeper = keeper;
    this.#killers = killers;
    this.#all = slots;
    this.#pipeDirectory = pipeDirectory;
    this.#niceness = niceness;
    const about = keeper.query('SELECT version(), timezone()', 'TSV').trim().split('\t');
    this.version = about[0] ?? '';
    this.timezone = about[1] ?? '';
  }

  /**
   * Opens the engine on `directory`, and makes its pipes in `pipeDirectory`, which must be empty. A file of
   * ClickHouse's own configuration may name clusters and users.
   */
  static async open(
    directory: string,
    pipeDirectory: string,
    configPath?: string,
  ): Promise<Engine> {
    const niceness = baseNiceness();
    const mergeNiceness = niceness === undefined ? undefined : nicenessOf(0, niceness);
    const sessions = () => sessionsOn(directory, { mergeNiceness, configPath });
    const paths = Array.from({ length: limits.queriesRunningMax }, (_, at) =>
      join(pipeDirectory, `result-${at}`),
    );
    await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
    // Each copy of chdb's module listens for the exit.
    process.setMaxListeners(process.getMaxListeners() + limits.queriesRunningMax + 2);
    // The first session stays: the engine lives as long as it has one.
    const keeper = sessions().open();
    const slots = paths.map((path, number) => ({
      number,
      pipe: new ResultPipe(path),
      sessions: sessions(),
    }));
    return new Engine(slots, keeper, sessions(), pipeDirectory, niceness);
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
   * Runs one statement in a session in which nothing else is set. Settles when the engine has let go of it, and never rejects. A
   * SELECT, which has its mark in its own settings, is killed where `gone` comes first.
   */
  run(
    kind: Statement['kind'],
    slot: Slot,
    setup: SessionSetup,
    sql: string,
    format: string,
    gone: AbortSignal,
  ): Promise<QueryOutcome> {
    const outcome = this.#run(kind, slot, setup, sql, format, gone);
    this.#running.add(outcome);
    void outcome.then(() => this.#running.delete(outcome));
    return outcome;
  }

  async #run(
    kind: Statement['kind'],
    slot: Slot,
    setup: SessionSetup,
    sql: string,
    format: string,
    gone: AbortSignal,
  ): Promise<QueryOutcome> {
    const mark = markOf(slot, setup);
    const ended = new AbortController();
    let killed: Promise<void> | undefined;
    const kill = () => {
      if (kind === 'rows') killed = this.#killUntil(mark, ended.signal);
    };
    gone.addEventListener('abort', kill, { once: true });
    let session: Chdb.Session | undefined;
    // A SELECT sets nothing that outlasts it, and has its mark in its own settings.
    const lasting = kind === 'rows' && canLast(setup, sql) ? this.#setupSql(setup, []) : undefined;
    let isClean = false;
    try {
      if (gone.aborted) throw clickHouseError('QUERY_WAS_CANCELLED', 'The client went away');
      const kept = lasting === undefined ? undefined : slot.sessions.take(lasting);
      session = kept ?? slot.sessions.open();
      const own = parameterPairs(setup);
      const before =
        lasting === undefined
          ? this.#setupSql(setup, [...own, ['log_comment', mark]])
          : (kept === undefined ? lasting : '') + setSql(own);
      const answer = session.queryAsync(before + sql, { format });
      if (lasting === undefined) slot.sessions.prepare();
      const result = await answer;
      isClean = true;
      const { rowsRead, bytesRead, elapsed } = result;
      return { ok: true, rowsRead, bytesRead, seconds: elapsed, bytes: result.bytes() };
    } catch (error) {
      return { ok: false, error: withoutPaths(asClickHouseError(error), this.#pipeDirectory) };
    } finally {
      gone.removeEventListener('abort', kill);
      if (killed !== undefined) {
        ended.abort();
        await killed;
      }
      if (isClean && lasting !== undefined && session !== undefined) {
        slot.sessions.keep(session, lasting);
      } else session?.close();
    }
  }

  /** The statements that set up a session; `own` is of one request only. */
  #setupSql({ database, settings, readonly }: SessionSetup, own: Pair[]): string {
    const pairs = new Map([...settings, ...own]);
    if (readonly && pairs.get('readonly') !== '1') pairs.set('readonly', '2');
    if (this.#niceness !== undefined && !pairs.has('os_threads_nice_value_query')) {
      const niceness = nicenessOf(Number(pairs.get('priority') ?? 0), this.#niceness);
      pairs.set('os_threads_nice_value_query', String(niceness));
    }
    return [
      database === undefined ? '' : `USE ${identifier(database)};`,
      // In one statement: after `readonly` nothing more can be set.
      setSql([...pairs]),
    ].join('');
  }

  isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Closes the engine, once nothing runs in it any more. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
    for (const { sessions } of this.#all) sessions.close();
    this.#keeper.close();
  }

  /** The query may not have begun yet, so one attempt is not always enough. */
  async #killUntil(mark: string, ended: AbortSignal): Promise<void> {
    const sql = `KILL QUERY WHERE Settings['log_comment'] = ${literal(mark)}`;
    while (!ended.aborted) {
      const session = this.#killers.open();
      await session.queryAsync(sql).catch(() => undefined);
      session.close();
      await sleep(killAgainMs, ended);
    }
  }
}

/** Paths of temporary files are removed from errors: clients do not know them. */
function withoutPaths(error: ClickHouseError, directory: string): ClickHouseError {
  const text = error.message.replaceAll(`${directory}/`, '');
  return text === error.message ? error : new ClickHouseError(error.code, text);
}

type Pair = [name: string, value: string];

function parameterPairs({ parameters }: SessionSetup): Pair[] {
  return Array.from(parameters, ([name, value]) => [`param_${name}`, value]);
}

/**
 * Whether such a session may answer later requests. A query that forgets a parameter would get the value of an earlier
 * request; and with `readonly` 1 no query can name its mark.
 */
function canLast({ parameters, settings }: SessionSetup, sql: string): boolean {
  const named = [...sql.matchAll(/\{\s*(\w+)\s*:/g)];
  return settings.get('readonly') !== '1' && named.every(([, name = '']) => parameters.has(name));
}

function setSql(pairs: Pair[]): string {
  if (pairs.length === 0) return '';
  return `SET ${pairs.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')};`;
}
