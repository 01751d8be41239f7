import { NotReached } from '../../../infra/runtime/network/failure.ts';
import { sleep } from '../../../infra/runtime/process/sleep.ts';
import type { Format } from '../../log/format.ts';
import type { Batch } from '../../log/reader.ts';
import { SinkDriver, type SinkDriverOptions, type SinkLimits, type SinkTarget } from '../driver.ts';
import { classify } from './classify.ts';
import { StoreLedger } from './ledger.ts';
import type { Store } from './send.ts';

export type StoreSinkLimits = SinkLimits & {
  /** After this long, queries see what the store took, even if it was stalled. */
  missingMs: number;
};

type TargetOptions = {
  store: Store;
  limits: StoreSinkLimits;
  stopping: AbortSignal;
  /** The store has newer batches of this log than the log knows of: nothing more is sent. */
  onReverted: () => Promise<void>;
};

export type StoreSinkOptions = Omit<SinkDriverOptions, 'name' | 'formats' | 'ledger' | 'target'> &
  TargetOptions & { format: Format };

/** The sink of one format: it delivers every frame to the store exactly once. */
export function createStoreSink({ format, ...options }: StoreSinkOptions): SinkDriver {
  const ledger = new StoreLedger();
  const target = new StoreTarget(ledger, options);
  return new SinkDriver({ ...options, name: format, formats: [format], ledger, target });
}

/**
 * Sends batches to the store. If it may have one already, after a crash or a failed attempt, it is asked what it has
 * under that number, and gets the rest.
 */
class StoreTarget implements SinkTarget {
  readonly classify = classify;
  readonly #ledger: StoreLedger;
  readonly #options: TargetOptions;
  #isOwn = false;

  constructor(ledger: StoreLedger, options: TargetOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  async send(batch: Batch): Promise<void> {
    if (!this.#isOwn) await this.#checkIdentity();
    const { store } = this.#options;
    const { number, partlyStored, batch: state } = this.#ledger.current;
    const partitions = [...(partlyStored?.partitions ?? [])];
    const isInDoubt = state.kind === 'inDoubt';
    if (isInDoubt) partitions.push(...(await store.stored(number)).partitions);
    this.#ledger.sent();
    try {
      await store.insert(batch, number, partitions);
      if (isInDoubt && partlyStored === undefined) await this.#insertMissing(batch, number);
    } catch (error) {
      if (classify(error).decision === 'refuse') {
        const { partitions: taken } = await store.stored(number);
        this.#ledger.takenInPart(batch, taken);
      }
      throw error;
    }
  }

  /**
   * A store that was killed may believe that it has a batch, and drop it, though it does not have it. So the sink waits
   * until every insert under way can be seen, and inserts what is missing under another token.
   */
  async #insertMissing(batch: Batch, number: number): Promise<void> {
    const { store, limits, stopping } = this.#options;
    if ((await store.stored(number)).records >= batch.records) return;
    await sleep(limits.missingMs, stopping);
    await store.syncReplicas();
    const { partitions, records } = await store.stored(number);
    if (records >= batch.records) return;
    await store.insert(batch, number, partitions, 'again');
  }

  /** A log that was reverted or copied must not take another's batches for its own. */
  async #checkIdentity(): Promise<void> {
    const { store, onReverted } = this.#options;
    if ((await store.newest()) > this.#ledger.newestKnown) {
      await onReverted();
      throw new NotReached('the log takes another identity');
    }
    this.#isOwn = true;
  }
}
