import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { startPolling } from '../../../infra/runtime/process/poll.ts';
import type { Database } from '../../stores/database.ts';
import {
  drawVersion,
  findChangedGroups,
  findChanges,
  forgetChanges,
  insertPublishers,
  markAllChanged,
  markAllGone,
  newestVersion,
  sumOfPublishers,
  sumOfThings,
} from './publishers-sql.ts';

const checkEveryMs = 1_000;
/** Changes in one INSERT, of all groups together. */
const changesAtOnceMax = 20_000;

type Waiting = { groups: Set<string>; resolve: () => void; reject: (error: unknown) => void };

/**
 * Keeps ClickHouse's publishers table equal to what Postgres has. In Postgres, `publisher_changes` holds each change
 * until ClickHouse has it. Several API processes may insert the same change: it has the same version, so it counts
 * once.
 */
export class Publishers {
  readonly #db: Database;
  readonly #clickhouse: ClickHouseClient;
  readonly #waiting = new Set<Waiting>();
  /** A round is of all requests that wait for it: one that ends must not end it for the others. */
  readonly #ofNoRequest = AsyncLocalStorage.snapshot();
  #running = false;

  constructor(db: Database, clickhouse: ClickHouseClient) {
    this.#db = db;
    this.#clickhouse = clickhouse;
  }

  /** Resolves when ClickHouse has all changes made in these groups before the call. */
  async catchUp(groups: readonly string[]): Promise<void> {
    if (groups.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add({ groups: new Set(groups), resolve, reject });
    if (!this.#running) this.#ofNoRequest(() => void this.#run());
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      // Calls during a round wait for the next one: this one may have missed their changes.
      const asked = [...this.#waiting];
      try {
        const current = await this.#insert(new Set(asked.flatMap(({ groups }) => [...groups])));
        for (const one of asked) {
          for (const group of current) one.groups.delete(group);
          if (one.groups.size > 0) continue;
          this.#waiting.delete(one);
          one.resolve();
        }
      } catch (error) {
        for (const one of asked) {
          this.#waiting.delete(one);
          one.reject(error);
        }
      }
    }
    this.#running = false;
  }

  /** Inserts some changes of each group, so that no group waits for a larger one. Returns the groups with none left. */
  async #insert(groups: ReadonlySet<string>): Promise<Set<string>> {
    const perGroupMax = Math.max(1, Math.floor(changesAtOnceMax / groups.size));
    const changes = await findChanges(this.#db, [...groups], perGroupMax);
    if (changes.length > 0) {
      await insertPublishers(this.#clickhouse, changes);
      await forgetChanges(this.#db, changes);
    }
    const ofGroup = Map.groupBy(changes, (change) => change.group_id);
    return new Set([...groups].filter((id) => (ofGroup.get(id)?.length ?? 0) < perGroupMax));
  }

  /** Inserts the changes of all groups. */
  async catchUpAll(): Promise<void> {
    for (;;) {
      const groups = await findChangedGroups(this.#db, changesAtOnceMax);
      if (groups.length === 0) return;
      await this.catchUp(groups);
    }
  }

  /**
   * Compares the two databases, and writes ClickHouse's table again where they differ: one of them may have been
   * lost, or restored from an older copy. It goes by the first digit of the ids, so that each statement is short.
   */
  async compareAll(): Promise<void> {
    // If Postgres was restored from an older copy, new changes must still be newer than what ClickHouse has.
    await drawVersion(this.#db, await newestVersion(this.#clickhouse));
    for (const digit of '0123456789abcdef') {
      if (await this.#isSame(digit)) continue;
      const version = await drawVersion(this.#db, '0');
      // First marked as changed, so that every reader from now on waits for the changes.
      await markAllChanged(this.#db, digit);
      await markAllGone(this.#clickhouse, digit, version);
    }
    await this.catchUpAll();
  }

  /** A change at the same moment can make them differ, so they are then compared again. */
  async #isSame(digit: string): Promise<boolean> {
    for (let look = 0; look < 3; look++) {
      await this.catchUpAll();
      const [things, publishers] = await Promise.all([
        sumOfThings(this.#db, digit),
        sumOfPublishers(this.#clickhouse, digit),
      ]);
      if (things === publishers) return true;
    }
    return false;
  }
}

/** Keeps the publishers table up to date from now on. Returns how to stop. */
export function startKeepingPublishers(
  publishers: Publishers,
  logger: Logger,
): () => Promise<void> {
  let isCompared = false;
  return startPolling(
    async () => {
      await (isCompared ? publishers.catchUpAll() : publishers.compareAll());
      isCompared = true;
    },
    {
      everyMs: checkEveryMs,
      onFailure: (error) =>
        logger.warn({ error }, "ClickHouse's publishers table is not up to date; trying again"),
    },
  );
}
