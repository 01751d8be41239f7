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

const lookEveryMs = 1_000;
/** Changes that are brought at once, of all groups together. */
const changesAtOnceMax = 20_000;

type Waiting = { groups: Set<string>; resolve: () => void; reject: (error: unknown) => void };

/**
 * Keeps ClickHouse's table of publishers as Postgres has it: `publisher_changes` holds what changed until it
 * is there. Several API processes may bring the same changes; each has its version, so that is no harm.
 */
export class Publishers {
  readonly #db: Database;
  readonly #clickhouse: ClickHouseClient;
  readonly #waiting = new Set<Waiting>();
  #running = false;

  constructor(db: Database, clickhouse: ClickHouseClient) {
    this.#db = db;
    this.#clickhouse = clickhouse;
  }

  /** Settles once ClickHouse has what changed in these groups before the call. */
  async settle(groups: readonly string[]): Promise<void> {
    if (groups.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add({ groups: new Set(groups), resolve, reject });
    if (!this.#running) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.size > 0) {
      // Who comes while the changes are looked for may have made one since: the next look is theirs.
      const asked = [...this.#waiting];
      try {
        const settled = await this.#bring(new Set(asked.flatMap(({ groups }) => [...groups])));
        for (const one of asked) {
          for (const group of settled) one.groups.delete(group);
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

  /** Brings some changes of each group, so that none waits for a larger one. Gives those with none left. */
  async #bring(groups: ReadonlySet<string>): Promise<Set<string>> {
    const perGroupMax = Math.max(1, Math.floor(changesAtOnceMax / groups.size));
    const changes = await findChanges(this.#db, [...groups], perGroupMax);
    if (changes.length > 0) {
      await insertPublishers(this.#clickhouse, changes);
      await forgetChanges(this.#db, changes);
    }
    const ofGroup = Map.groupBy(changes, (change) => change.group_id);
    return new Set([...groups].filter((id) => (ofGroup.get(id)?.length ?? 0) < perGroupMax));
  }

  /** Brings what changed, whether anybody asks for it or not. */
  async settleAll(): Promise<void> {
    for (;;) {
      const groups = await findChangedGroups(this.#db, changesAtOnceMax);
      if (groups.length === 0) return;
      await this.settle(groups);
    }
  }

  /**
   * Holds the two against each other, and makes ClickHouse's anew where they differ: one of them may have been
   * lost, or be an older copy. Sixteen parts, by the first digits of the ids, keep each statement short.
   */
  async agree(): Promise<void> {
    // After an older copy of Postgres, new changes must not count as older than what ClickHouse has.
    await drawVersion(this.#db, await newestVersion(this.#clickhouse));
    for (const digit of '0123456789abcdef') {
      if (await this.#isSame(digit)) continue;
      const version = await drawVersion(this.#db, '0');
      // Before they are gone: who reads meanwhile finds them changed, and brings them first.
      await markAllChanged(this.#db, digit);
      await markAllGone(this.#clickhouse, digit, version);
    }
    await this.settleAll();
  }

  /** What changes meanwhile can make them look different: looked at again, they are not. */
  async #isSame(digit: string): Promise<boolean> {
    for (let look = 0; look < 3; look++) {
      await this.settleAll();
      const [things, publishers] = await Promise.all([
        sumOfThings(this.#db, digit),
        sumOfPublishers(this.#clickhouse, digit),
      ]);
      if (things === publishers) return true;
    }
    return false;
  }
}

/** Keeps them in step from now on. Gives how to stop. */
export function startKeepingPublishers(publishers: Publishers, log: Logger): () => Promise<void> {
  let hasAgreed = false;
  return startPolling(
    async () => {
      await (hasAgreed ? publishers.settleAll() : publishers.agree());
      hasAgreed = true;
    },
    {
      everyMs: lookEveryMs,
      onFailure: (error) =>
        log.warn({ error }, "ClickHouse's table of publishers waits to be brought up to date"),
    },
  );
}
