import { createRequire } from 'node:module';
import type * as Chdb from 'chdb';
import { limits } from '../limits.ts';

const load = createRequire(import.meta.url);

/** Clients have few setups each: the reader's, the operations page's. */
const keptMax = 4;

/** Sessions on one directory, for one statement at a time. */
export type Sessions = {
  /** A session in which nothing was set. */
  open(): Chdb.Session;
  /** Takes back a session in which only `setup` was set: opening one costs more than the engine needs for `SELECT 1`. */
  keep(session: Chdb.Session, setup: string): void;
  /** One that was kept with this setup, if there is one. */
  take(setup: string): Chdb.Session | undefined;
  /** Opens the next one ahead, while the engine is at work on something else. */
  prepare(): void;
  close(): void;
};

type SessionsOptions = {
  /** Undefined: what the threads of merges have. */
  mergeNiceness?: number | undefined;
  configPath?: string | undefined;
};

/**
 * chdb delays closing a session until no operation of its module runs. Beside one long query closed sessions would
 * pile up, so each caller gets its own instance of the module.
 */
export function sessionsOn(
  directory: string,
  { mergeNiceness, configPath }: SessionsOptions = {},
): Sessions {
  delete load.cache[load.resolve('chdb')];
  const { Session }: typeof Chdb = load('chdb');
  const connectionArgs = [
    `--max_server_memory_usage=${limits.engineBytesMax}`,
    `--max_memory_usage=${limits.oneQueryBytesMax}`,
    `--mark_cache_size=${limits.cacheBytesMax}`,
    `--primary_index_cache_size=${limits.cacheBytesMax}`,
    `--max_query_size=${limits.sqlBytesMax}`,
    // A server has it off.
    '--implicit_select=0',
    // Each part that a deletion touches is a task, and where no slot is free ClickHouse sleeps before it looks
    // again: 76 parts took 12 s with the 4 slots of two cores, and 1.4 s with the 32 it has elsewhere.
    `--background_merges_mutations_concurrency_ratio=16`,
    // Merges are as nice as inserts, also in threads that ran a query before.
    ...(mergeNiceness === undefined
      ? []
      : [`--os_threads_nice_value_merge_mutate=${mergeNiceness}`]),
    ...(configPath === undefined ? [] : [`--config-file=${configPath}`]),
    // How often it reads what the process really takes: 20 times a second otherwise, also with nothing to do. What
    // queries ask for is counted as they ask.
    '--memory_worker_period_ms=1000',
  ];
  const create = () => new Session(directory, { connectionArgs });
  let ready: Chdb.Session | undefined;
  const kept = new Map<string, Chdb.Session>();
  return {
    open() {
      const session = ready ?? create();
      ready = undefined;
      return session;
    },
    keep(session, setup) {
      kept.set(setup, session);
      if (kept.size <= keptMax) return;
      const [oldest] = kept;
      if (oldest === undefined) return;
      kept.delete(oldest[0]);
      oldest[1].close();
    },
    take(setup) {
      const session = kept.get(setup);
      kept.delete(setup);
      return session;
    },
    prepare() {
      try {
        ready ??= create();
      } catch {
        // Whoever needs the session meets the error.
      }
    },
    close() {
      for (const session of kept.values()) session.close();
      kept.clear();
      ready?.close();
      ready = undefined;
    },
  };
}
