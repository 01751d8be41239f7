import { reviewStates } from '../../../infra/runtime/alarms/endings.ts';
import { holdRule, holdRules } from '../../../infra/runtime/alarms/rule.ts';
import { holdPlaces } from '../../../infra/runtime/alarms/locks.ts';
import { postgresFailure } from '../../../infra/runtime/stores/postgres-failure.ts';
import { rowsOf, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { before, type Position } from '../../log/format.ts';
import type { Batch, LogReader } from '../../log/reader.ts';
import type { SinkTarget } from '../driver.ts';
import type { KeptPosition } from '../kept-position.ts';
import { ChangesOfOthers, type ChangesOptions } from './changes-of-others.ts';
import { Outcome } from './outcome.ts';
import type { Snapshot } from './snapshot.ts';
import { findThingsElsewhere } from './sql.ts';
import type { Touched } from './touched.ts';

type AlarmTargetOptions = ChangesOptions & {
  position: KeptPosition;
  snapshot: Snapshot;
  /** Reads the log up to there. */
  openReader: (to: Position) => LogReader;
};

/** Others change the same things now and then, but not so often in a row: then the sink is halted, which operators see. */
const triesMax = 100;

/** Ends a transaction of which nothing may stay. */
class StateChanged extends Error {}

/**
 * Evaluates messages against the rules of their things, and writes what comes of it to Postgres, once: alarms, states,
 * notices, and how far the log is then, in one transaction.
 */
export class AlarmTarget implements SinkTarget {
  readonly classify = postgresFailure;
  readonly counts = { fired: 0, ended: 0 };
  readonly #options: AlarmTargetOptions;
  readonly #others: ChangesOfOthers;
  #isOpen = false;
  /** Things of a batch that are gone, or left the group from which they sent it: nothing is raised for them. */
  readonly #elsewhere = new Set<string>();

  constructor(options: AlarmTargetOptions) {
    this.#options = options;
    this.#others = new ChangesOfOthers(options);
  }

  async send(batch: Batch): Promise<void> {
    const { position, evaluation } = this.#options;
    try {
      await this.#others.refreshIfOld();
      if (!this.#isOpen) await this.#open(batch.from);
      for (let tries = 1; !(await this.#trySend(batch)); tries++) {
        if (tries === triesMax) throw new Error(`no state of a batch was taken in ${tries} tries`);
      }
    } catch (error) {
      position.ended(undefined);
      evaluation.drop();
      throw error;
    }
  }

  /** Takes the snapshot, and notes the times of what the log has after it and before the first batch. */
  async #open(first: Position): Promise<void> {
    const { evaluation, snapshot, openReader } = this.#options;
    let at = await snapshot.open(first);
    const reader = before(at, first) ? openReader(first) : undefined;
    while (reader !== undefined && before(at, first)) {
      const batch = await reader.read(at, replayed);
      if (batch === undefined) break;
      evaluation.look(batch, () => true);
      evaluation.keep(({ was }) => was);
      at = batch.to;
    }
    this.#isOpen = true;
  }

  /**
   * False if it must be evaluated again: Postgres has more of the log than was known, since a transaction whose answer was
   * lost has ended; or another process changed what this batch changes too.
   */
  async #trySend(batch: Batch): Promise<boolean> {
    const { logId, position, evaluation } = this.#options;
    const { segment } = batch.from;
    const known = await position.find(batch.from);
    evaluation.look(batch, (frame) => {
      const offset = batch.offsets[frame] ?? 0;
      return before({ segment, offset }, known);
    });
    if (await this.#reviewFirst()) return false;
    const { touched, late } = evaluation.outcome;
    const live = touched.filter((one) => !this.#elsewhere.has(placeOf(one)));
    const outcome = new Outcome(live, late, logId);
    const written = outcome.isEmpty ? 'empty' : await this.#write(outcome, known, batch.to);
    if (written === 'positionMoved' || written === 'stateChanged') {
      evaluation.drop();
      if (written === 'stateChanged') await this.#refreshPairs(outcome);
      else position.ended(undefined);
      return false;
    }
    if (written === 'written') position.ended(batch.to);
    this.#elsewhere.clear();
    evaluation.keep((one) => outcome.savedOf(one));
    this.counts.fired += outcome.counts.fired;
    this.counts.ended += outcome.counts.ended;
    return true;
  }

  async #write(
    outcome: Outcome,
    from: Position,
    to: Position,
  ): Promise<'written' | 'positionMoved' | 'stateChanged'> {
    const { pool, position } = this.#options;
    try {
      return await transaction(pool, async (client) => {
        const rows = rowsOf(client);
        if (!(await position.move(rows, from, to))) return 'positionMoved';
        await holdPlaces(rows, outcome.places);
        // A rule that was changed has ended what fired: nothing may fire by what it was before.
        const isSame = await holdRules(rows, this.#rulesOf(outcome));
        if (isSame && (await outcome.write(rows))) return 'written';
        throw new StateChanged();
      });
    } catch (error) {
      // A rule or a thing may have gone since it was looked for, or another may have given an alarm of theirs the number.
      const isMet = metViolations.has(postgresFailure(error).code);
      if (error instanceof StateChanged || isMet) return 'stateChanged';
      throw error;
    }
  }

  /**
   * States that things have from before a change of their rule are reviewed before anything is made of their values. Whether
   * there were some: the batch is looked at again.
   */
  async #reviewFirst(): Promise<boolean> {
    const { pool, evaluation } = this.#options;
    const pairs = evaluation.perhapsFromBefore;
    let reviewed = 0;
    for (const [ruleId, of] of Map.groupBy(pairs, (pair) => pair.ruleId)) {
      const some = { kind: 'things', ids: of.map(({ thingId }) => thingId) } as const;
      for (const ending of this.#others.endingsOf(ruleId)) {
        reviewed += await transaction(pool, async (client) => {
          const rows = rowsOf(client);
          const rule = await holdRule(rows, ruleId);
          return (await reviewStates(rows, ending, rule, some)).count;
        });
      }
    }
    if (reviewed === 0) return false;
    evaluation.drop();
    await this.#others.refreshStates(pairs);
    return true;
  }

  /** The rules whose things are written. */
  #rulesOf({ moved }: Outcome): { id: string; revision: string }[] {
    return [...new Set(moved.map(({ rule }) => rule.id))].map((id) => ({
      id,
      revision: this.#others.revisionOf(id),
    }));
  }

  /** All about a batch that could not be written, as it is now. */
  async #refreshPairs({ moved }: Outcome): Promise<void> {
    const asked = moved.map(({ thingId, rule: { groupId } }) => ({ thingId, groupId }));
    for (const one of await findThingsElsewhere(rowsOf(this.#options.pool), asked)) {
      this.#elsewhere.add(one.thingId + one.groupId);
    }
    await this.#others.refreshPairs(moved);
  }
}

const placeOf = ({ thingId, rule }: Touched): string => thingId + rule.groupId;

/** Of a foreign key, and of what is unique. */
const metViolations = new Set(['23503', '23505']);

const replayed = { bytesMax: 4 * 1024 * 1024, framesMax: Number.MAX_SAFE_INTEGER };
