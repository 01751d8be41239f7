import { randomUUID } from 'node:crypto';
import {
  type ActiveRule,
  findRulesVersion,
  holdRule,
  isSilent,
  loadSilentRules,
} from '../../../infra/runtime/alarms/rule.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Polled, startPolling } from '../../../infra/runtime/process/poll.ts';
import { type Pool, rowsOf, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { limits } from '../../limits.ts';
import { counted, type LookMetrics } from '../look-metrics.ts';
import { heardBy, silentBefore, type Span } from './hearing.ts';
import { nextLookUs } from './schedule.ts';
import {
  beginSpan,
  findEdges,
  findHeardAgain,
  findLongestSilent,
  findSilent,
  findSpans,
  holdHeardAgain,
  keepWatch,
  leaveWatch,
  lengthenSpan,
} from './sql.ts';
import { endSilent, fireSilent } from './transitions.ts';

const usPerSecond = 1_000_000;

/**
 * Looks for things that were not heard for as long as a rule says, and for those that are heard again. One worker at a
 * time does it.
 *
 * @returns how to stop, which waits for the look under way.
 */
export function startSilence({
  pool,
  metrics,
  logger,
}: {
  pool: Pool;
  metrics: LookMetrics;
  logger: Logger;
}): () => Promise<void> {
  const watch = new SilenceWatch(pool);
  const look = (stopping: AbortSignal) => watch.look(stopping);
  const stop = startPolling(counted(look, metrics), {
    everyMs: limits.silenceEveryMs,
    onFailure: (error) => logger.warn({ error }, 'nobody looks whether things are silent'),
  });
  return async () => {
    await stop();
    await leaveWatch(rowsOf(pool), watch.id).catch(() => undefined);
  };
}

class SilenceWatch {
  readonly id = randomUUID();
  readonly #pool: Pool;
  #version = '';
  #rules: ReadonlyMap<string, ActiveRule> = new Map();
  /** Of each rule, until when none of its things can have become silent. */
  #nextUs = new Map<string, number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async look(stopping: AbortSignal): Promise<Polled> {
    await this.#refresh();
    if (this.#rules.size === 0) return 'nothing';
    if (!(await this.#keep())) return 'nothing';
    const heard = await this.#endHeard(stopping);
    const spans = await this.#hear();
    const horizonUs = spans.at(-1)?.toUs;
    if (horizonUs === undefined) return 'some';
    const due = [...this.#rules.values()].filter(
      ({ id }) => (this.#nextUs.get(id) ?? 0) <= horizonUs,
    );
    for (let at = 0; at < due.length && !stopping.aborted; at += limits.silentRulesAtOnceMax) {
      if (!(await this.#keep())) break;
      const some = due.slice(at, at + limits.silentRulesAtOnceMax);
      await this.#lookAt(some, spans, horizonUs, stopping);
    }
    return heard === limits.heardAgainMax ? 'more' : 'some';
  }

  /** False: this worker was away for so long that another one looks now. */
  #keep(): Promise<boolean> {
    return keepWatch(rowsOf(this.#pool), this.id, limits.silenceWatchS);
  }

  async #refresh(): Promise<void> {
    const rows = rowsOf(this.#pool);
    const version = await findRulesVersion(rows);
    if (version === this.#version) return;
    const rules = new Map((await loadSilentRules(rows)).map((rule) => [rule.id, rule]));
    const kept = [...this.#nextUs].filter(
      ([id]) => rules.get(id)?.forUs === this.#rules.get(id)?.forUs && rules.has(id),
    );
    this.#nextUs = new Map(kept);
    this.#rules = rules;
    this.#version = version;
  }

  /** Things are heard again; gives how many. They are found in one look, since each reads all things that are silent. */
  async #endHeard(stopping: AbortSignal): Promise<number> {
    const heard = await findHeardAgain(rowsOf(this.#pool), limits.heardAgainMax);
    for (let at = 0; at < heard.length; at += limits.silentThingsAtOnceMax) {
      if (stopping.aborted || !(await this.#keep())) break;
      const some = heard.slice(at, at + limits.silentThingsAtOnceMax);
      await transaction(this.#pool, async (client) => {
        const rows = rowsOf(client);
        const held = await holdHeardAgain(rows, some);
        if (held.length > 0) await endSilent(rows, this.#rules, held);
      });
    }
    return heard.length;
  }

  /** The times in which things could be heard, up to the last that is known of all edges. */
  async #hear(): Promise<Span[]> {
    const rows = rowsOf(this.#pool);
    const spans = await findSpans(rows);
    const edges = await findEdges(rows, limits.edgeAwayS);
    const last = spans.at(-1);
    const heard = heardBy(edges, last, limits.silenceGraceS * usPerSecond);
    if (heard.kind === 'longer' && last !== undefined) {
      await lengthenSpan(rows, { ...last, toUs: heard.toUs });
      return [...spans.slice(0, -1), { ...last, toUs: heard.toUs }];
    }
    if (heard.kind !== 'begins') return spans;
    await beginSpan(rows, heard.span, limits.hearingDays);
    return [...spans, heard.span];
  }

  async #lookAt(
    rules: readonly ActiveRule[],
    spans: readonly Span[],
    horizonUs: number,
    stopping: AbortSignal,
  ): Promise<void> {
    const ids = rules.map(({ id }) => id);
    const found = await findLongestSilent(rowsOf(this.#pool), ids);
    const heard = new Map(found.map(({ ruleId, heardUs }) => [ruleId, heardUs]));
    const ending = new Set(found.filter((one) => one.isEnding).map(({ ruleId }) => ruleId));
    for (const { id, forUs } of rules) {
      const heardUs = heard.get(id) ?? undefined;
      const limitUs = silentBefore(spans, forUs);
      const hasSilent = heardUs !== undefined && limitUs !== undefined && heardUs <= limitUs;
      if (hasSilent && !(await this.#fireAll(id, spans, stopping))) continue;
      // Its other things are looked at once workers are done with them.
      if (ending.has(id)) continue;
      this.#nextUs.set(id, nextLookUs(spans, hasSilent ? undefined : heardUs, forUs, horizonUs));
    }
  }

  /** Whether all things of a rule that are silent were found. */
  async #fireAll(ruleId: string, spans: readonly Span[], stopping: AbortSignal): Promise<boolean> {
    while (!stopping.aborted && (await this.#keep())) {
      const fired = await this.#fireSome(ruleId, spans);
      if (fired < limits.silentThingsAtOnceMax) return true;
    }
    return false;
  }

  #fireSome(ruleId: string, spans: readonly Span[]): Promise<number> {
    return transaction(this.#pool, async (client) => {
      const rows = rowsOf(client);
      const rule = await holdRule(rows, ruleId);
      if (rule === undefined || !isSilent(rule)) return 0;
      const beforeUs = silentBefore(spans, rule.forUs);
      if (beforeUs === undefined) return 0;
      const things = await findSilent(rows, ruleId, beforeUs, limits.silentThingsAtOnceMax);
      if (things.length > 0) await fireSilent(rows, rule, spans, things);
      return things.length;
    });
  }
}
