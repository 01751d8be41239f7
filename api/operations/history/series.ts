import {
  combine,
  type CountName,
  keyOf,
  latencyBounds,
  type LevelName,
  levels,
  nameOf,
  type Sample,
} from '../../../infra/runtime/history/figures.ts';
import { type FigureName, isFigure, type OperationsSeries } from '../../../schemas/operations.ts';
import type { ProcessKind } from './sql.ts';

type Measured = Sample & { kind: ProcessKind };

/** The figures of one moment, of all processes together; and which processes told. */
type Moment = { figures: Map<string, number>; kinds: ReadonlySet<ProcessKind> };

/** Counts as a rate: 0 where a process that counts it tells of none. */
const rates = {
  messages: { as: 'messages_per_second', from: 'edge' },
  records: { as: 'records_per_second', from: 'edge' },
  refused: { as: 'refused_per_second', from: 'edge' },
  attempts: { as: 'attempts_per_second', from: 'workers' },
  answers: { as: 'answers_per_second', from: 'api' },
} as const satisfies Record<string, { as: FigureName; from: ProcessKind }>;

const sources: ReadonlyMap<string, ProcessKind> = new Map(
  Object.values(rates).map(({ as, from }) => [as, from]),
);

/** In the order of the answer. Those of several labels are there when there is one. */
const always: readonly FigureName[] = [
  'messages_per_second',
  'records_per_second',
  'ack_p50_ms',
  'ack_p99_ms',
  'answer_p50_ms',
  'answer_p99_ms',
  'log_bytes',
  'log_max_bytes',
  'disk_free_bytes',
  'store_bytes',
  'store_parts',
  'store_merges',
  'queue_seconds',
  'queue_waiting',
];

/** The latencies of each moment: of which, and the share that took no longer. */
const quantiles = [
  { as: 'ack_p50_ms', of: 'ack', share: 0.5 },
  { as: 'ack_p99_ms', of: 'ack', share: 0.99 },
  { as: 'answer_p50_ms', of: 'answer', share: 0.5 },
  { as: 'answer_p99_ms', of: 'answer', share: 0.99 },
] as const satisfies { as: FigureName; of: CountName; share: number }[];

const isLatency = (name: string): name is 'ack' | 'answer' => name === 'ack' || name === 'answer';
const isRate = (name: string): name is keyof typeof rates => Object.hasOwn(rates, name);
/** Levels that are each process's own. */
const own: readonly string[] = ['memory_bytes', 'health'];
const isLevel = (name: string): name is Exclude<LevelName, 'memory_bytes' | 'health'> =>
  Object.hasOwn(levels, name) && !own.includes(name);

/** Puts together what processes measured in the same interval. */
export function momentOf(measured: readonly Measured[]): Moment {
  const figures = new Map<string, number>();
  const took = { ack: new Map<string, number>(), answer: new Map<string, number>() };
  const add = (to: Map<string, number>, key: string, value: number) =>
    to.set(key, combine(to.get(key), 'sum', value));
  for (const { seconds, figures: told } of measured) {
    for (const [key, value] of Object.entries(told)) {
      const name = nameOf(key);
      const label = key.slice(name.length + 1) || undefined;
      if (isLatency(name) && label !== undefined) add(took[name], label, value);
      if (isRate(name) && seconds > 0) add(figures, keyOf(rates[name].as, label), value / seconds);
      if (isLevel(name)) figures.set(key, combine(figures.get(key), levels[name].across, value));
    }
  }
  for (const { as, of, share } of quantiles) {
    const ms = quantileMs(took[of], share);
    if (ms !== undefined) figures.set(as, ms);
  }
  return { figures, kinds: new Set(measured.map(({ kind }) => kind)) };
}

/**
 * The latency that this share did not exceed, as if those of a bucket lay evenly in it. What took longer than
 * the last bound counts as that bound.
 */
export function quantileMs(took: ReadonlyMap<string, number>, share: number): number | undefined {
  const wanted = share * (took.get('+Inf') ?? 0);
  if (wanted === 0) return undefined;
  let [below, from] = [0, 0];
  for (const label of latencyBounds) {
    const count = took.get(label) ?? 0;
    if (label === '+Inf') break;
    const bound = Number(label) * 1_000;
    if (count >= wanted) return from + ((bound - from) * (wanted - below)) / (count - below);
    [below, from] = [count, bound];
  }
  return from;
}

/** The figures now, and in each of the moments. */
export function seriesOf(now: Moment, moments: readonly Moment[] | undefined): OperationsSeries[] {
  const told = [now, ...(moments ?? [])].flatMap(({ figures }) => [...figures.keys()]);
  // Always in the same order: a page gives each line a colour by it.
  const keys = new Set<string>([...always, ...told.toSorted()]);
  return [...keys].flatMap((key) => {
    const figure = nameOf(key);
    if (!isFigure(figure)) return [];
    const label = key.slice(figure.length + 1);
    return {
      figure,
      ...(label === '' ? {} : { of: label }),
      now: valueAt(now, key),
      ...(moments === undefined ? {} : { values: moments.map((one) => valueAt(one, key)) }),
    };
  });
}

function valueAt({ figures, kinds }: Moment, key: string): number | null {
  const value = figures.get(key);
  if (value !== undefined) return Number(value.toPrecision(6));
  const source = sources.get(nameOf(key));
  return source !== undefined && kinds.has(source) ? 0 : null;
}
