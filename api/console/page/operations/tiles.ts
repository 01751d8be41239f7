import { type ErrorCode, errorTable } from '../../../../schemas/http/errors.ts';
import type { Operations } from '../client/call.ts';
import { linkTo } from '../router.ts';
import { operationsTexts } from '../texts/operations.ts';
import { lasting } from '../texts/words.ts';
import { queuesTexts } from '../texts/queues.ts';
import { type Measure, withUnit, written } from './units.ts';

type Series = Operations['series'][number];
type Figure = Series['figure'];

/** One line of a tile. Its values are in bytes, milliseconds, a second or as they are. */
export type TileLine = {
  label: string;
  measure: Measure;
  now: number | null;
  values: readonly (number | null)[];
};

/** A tile: a value in large, words below it, and lines over time. */
export type Tile = {
  id: string;
  title: string;
  measure: Measure;
  now: number | null;
  /** Over which time `now` is told, where it is not of the last interval. */
  over?: string;
  note: string;
  lines: readonly TileLine[];
  /** The page that tells more. */
  more?: { text: string; href: string };
};

/** Tiles about one part of the installation. */
type TileGroup = { id: 'ingest' | 'store' | 'deliveries' | 'api'; tiles: Tile[] };

/** The tiles, in their order. */
export function tilesOf({ series, times = [] }: Operations): TileGroup[] {
  const all = new Reader(series, times);
  return [
    { id: 'ingest', tiles: [throughput(all), waits(all, 'acks', 'ack'), refusals(all)] },
    { id: 'store', tiles: [lag(all), disk(all), store(all), parts(all)] },
    { id: 'deliveries', tiles: [queue(all), attempts(all)] },
    { id: 'api', tiles: [requests(all), failures(all), waits(all, 'answers', 'answer')] },
  ];
}

/** A rate of a single interval jumps: it is told over so long, or over one interval where that is longer. */
const smoothedSeconds = 300;

class Reader {
  readonly #series: readonly Series[];
  readonly #intervals: number;
  /** The time that rates and latencies are told over, in words. */
  readonly over: string;

  constructor(series: readonly Series[], [first = 0, second = 0]: readonly number[]) {
    const seconds = Math.max(1, second - first);
    this.#series = series;
    this.#intervals = Math.max(1, Math.round(smoothedSeconds / seconds));
    this.over = lasting(this.#intervals * seconds);
  }

  /** The mean of the last intervals. */
  mean(figure: Figure, of?: string): number | null {
    const recent = this.#recent(figure, of);
    if (recent.length === 0) return this.now(figure, of);
    return recent.reduce((sum, one) => sum + one, 0) / recent.length;
  }

  /** The highest value of the last intervals. */
  highest(figure: Figure): number | null {
    // The last interval may not stand in the history yet.
    const known = [...this.#recent(figure), this.now(figure)].flatMap((value) => value ?? []);
    return known.length === 0 ? null : Math.max(...known);
  }

  #recent(figure: Figure, of?: string): number[] {
    const found = this.#series.find((one) => one.figure === figure && one.of === of);
    const values = found?.values ?? [];
    return values.slice(-this.#intervals).flatMap((value) => value ?? []);
  }

  now(figure: Figure, of?: string): number | null {
    return this.#series.find((one) => one.figure === figure && one.of === of)?.now ?? null;
  }

  /** The lines of a figure, one for each of what it is told apart by. */
  lines(figure: Figure, measure: Measure, label: (of: string) => string, by = 1): TileLine[] {
    return this.#series
      .filter((one) => one.figure === figure)
      .map(({ of, now: last, values = [] }) => {
        const now = measure === 'rate' ? this.mean(figure, of) : last;
        return {
          label: label(of ?? ''),
          measure,
          now: now === null ? null : now * by,
          values: by === 1 ? values : values.map((value) => (value === null ? null : value * by)),
        };
      });
  }
}

const words = operationsTexts.tiles;

/** Nothing where nobody tells. */
function total(lines: readonly TileLine[]): number | null {
  const known = lines.flatMap(({ now }) => now ?? []);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

function throughput(all: Reader): Tile {
  const messages = all.mean('messages_per_second');
  return {
    id: 'throughput',
    title: words.throughput,
    measure: 'rate',
    now: all.mean('records_per_second'),
    over: words.mean(all.over),
    note: words.messages(written(messages)),
    lines: [
      ...all.lines('records_per_second', 'rate', () => words.recordsLine),
      ...all.lines('messages_per_second', 'rate', () => words.messagesLine),
    ],
  };
}

const isCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text);

function refusals(all: Reader): Tile {
  const lines = all.lines('refused_per_second', 'rate', (code) =>
    isCode(code) ? `${errorTable[code].status} ${code}` : code,
  );
  const sorted = lines.toSorted((one, other) => (one.label < other.label ? -1 : 1));
  const now = total(lines) ?? (all.now('messages_per_second') === null ? null : 0);
  const note = lines.length === 0 ? words.noRefusals : words.refusalsNote;
  const over = words.mean(all.over);
  return { id: 'refusals', title: words.refusals, measure: 'rate', now, over, note, lines: sorted };
}

/** How long acks or answers take. */
function waits(all: Reader, id: 'acks' | 'answers', of: 'ack' | 'answer'): Tile {
  const [half, most] = [`${of}_p50_ms`, `${of}_p99_ms`] as const;
  return {
    id,
    title: words[id],
    measure: 'ms',
    now: all.highest(most),
    over: words.highest(all.over),
    note: words.acksNote(withUnit('ms', all.mean(half))),
    lines: [...all.lines(most, 'ms', () => words.p99), ...all.lines(half, 'ms', () => words.p50)],
  };
}

/** Requests to the API, whatever came of them. */
function requests(all: Reader): Tile {
  const lines = all.lines('answers_per_second', 'rate', (status) => status);
  return {
    id: 'requests',
    title: words.requests,
    measure: 'rate',
    now: total(lines) ?? (all.now('store_parts') === null ? null : 0),
    over: words.mean(all.over),
    note: words.requestsNote,
    lines: lines.length === 0 ? [] : [sumOf(lines, words.requestsLine)],
  };
}

/** Of these, what was refused, and what failed. */
function failures(all: Reader): Tile {
  const lines = all
    .lines('answers_per_second', 'rate', (status) => status)
    .filter(({ label }) => label >= '400')
    .toSorted((one, other) => (one.label < other.label ? -1 : 1));
  const failed = total(lines.filter(({ label }) => label >= '500')) ?? 0;
  return {
    id: 'failures',
    title: words.failures,
    measure: 'rate',
    now: total(lines) ?? (all.now('store_parts') === null ? null : 0),
    over: words.mean(all.over),
    note: lines.length === 0 ? words.noFailures : words.failuresNote(withUnit('rate', failed)),
    lines,
  };
}

/** Lines added up, as one. */
function sumOf(lines: readonly TileLine[], label: string): TileLine {
  const [first] = lines;
  const values = (first?.values ?? []).map((_, at) => sumAt(lines, at));
  return { label, measure: first?.measure ?? 'count', now: total(lines), values };
}

function sumAt(lines: readonly TileLine[], at: number): number | null {
  const known = lines.flatMap(({ values }) => values[at] ?? []);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** How long what is next at each place has waited: at the sinks, and in the queue after one of them. */
function lag(all: Reader): Tile {
  const lines = [
    ...all.lines('unsent_seconds', 'ms', (sink) => words.sinks[sink] ?? sink, 1_000),
    ...all.lines('queue_seconds', 'ms', () => words.queueAge, 1_000),
  ];
  const known = lines.flatMap(({ now }) => now ?? []);
  const now = known.length === 0 ? null : Math.max(...known);
  return { id: 'lag', title: words.lag, measure: 'ms', now, note: words.lagNote, lines };
}

function queue(all: Reader): Tile {
  const order = Object.values(words.states);
  const lines = all
    .lines('queue_jobs', 'count', (state) => words.states[state] ?? state)
    .toSorted((one, other) => order.indexOf(one.label) - order.indexOf(other.label));
  const waiting = total(lines.filter(({ label }) => label !== words.states['failed']));
  const oldest = all.now('queue_seconds') ?? 0;
  const room = all.now('queue_waiting') ?? 0;
  const notes = [
    oldest > 0
      ? words.nextDue(withUnit('ms', oldest * 1_000))
      : (waiting ?? 0) > 0
        ? words.noneDue
        : words.empty,
    ...(room === 0 ? [] : [words.waitForRoom(room)]),
  ];
  return {
    id: 'queue',
    title: words.queue,
    measure: 'count',
    now: waiting,
    note: notes.join('; '),
    lines,
    more: { text: queuesTexts.title, href: linkTo('/operations/queues/webhooks') },
  };
}

function attempts(all: Reader): Tile {
  const lines = all.lines('attempts_per_second', 'rate', (of) => of.replaceAll('_', ' '));
  const now = total(lines) ?? (all.now('queue_waiting') === null ? null : 0);
  const note = lines.length === 0 ? words.noAttempts : words.attemptsNote;
  const over = words.mean(all.over);
  return { id: 'attempts', title: words.attempts, measure: 'rate', now, over, note, lines };
}

function disk(all: Reader): Tile {
  const [log, max] = [all.now('log_bytes'), all.now('log_max_bytes')];
  return {
    id: 'disk',
    title: words.disk,
    measure: 'bytes',
    now: all.now('disk_free_bytes'),
    note: words.diskNote(withUnit('bytes', log), withUnit('bytes', max)),
    lines: all.lines('disk_free_bytes', 'bytes', () => words.free),
  };
}

function store(all: Reader): Tile {
  return {
    id: 'store',
    title: words.store,
    measure: 'bytes',
    now: all.now('store_bytes'),
    note: words.storeNote,
    lines: all.lines('store_bytes', 'bytes', () => words.onDisks),
  };
}

function parts(all: Reader): Tile {
  return {
    id: 'parts',
    title: words.parts,
    measure: 'count',
    now: all.now('store_parts'),
    note: words.partsNote(all.now('store_merges') ?? 0),
    lines: [
      ...all.lines('store_parts', 'count', () => words.partsLine),
      ...all.lines('store_merges', 'count', () => words.mergesLine),
    ],
  };
}
