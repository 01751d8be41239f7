import { dayOf, type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { SeriesValue, ThingValuesSearch } from '../../../schemas/resources/thing.ts';
import type { UserCaller } from '../../access/caller.ts';
import { addReach } from '../../access/reach.ts';
import { readTime } from '../../http/query/time.ts';
import { openStore, type Store, takeTurn } from '../../messages/store/store.ts';
import { whereOf } from '../../messages/query/conditions.ts';
import { jsonPaths, numberAt } from '../../messages/query/payload.ts';
import type { Where } from '../../messages/query/where.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import { countMessagesSince, type MessagesSinceDependencies } from './messages-since.ts';

type ValueDependencies = MessagesSinceDependencies & { db: Database };

const dayMs = 86_400_000;

/**
 * From when, and how many intervals there are until now, in nanoseconds; or, for things that sent nothing since then,
 * the days of their last messages instead.
 */
type Span = { from: bigint; step: bigint; points: number; isBefore: boolean };

type SeriesName = NonNullable<ThingValuesSearch['series']>[number];

/** A series of a thing. */
type Told = SeriesValue & { thing: string };

/**
 * Tells of these things, as far as the caller sees them, when they were heard and the newest values of series: one
 * statement for SenML, and one for each path of JSON.
 *
 * @throws DomainError `malformed` for what is no time; `too_many`, `unavailable`.
 */
export async function findValues(
  dependencies: ValueDependencies,
  user: UserCaller,
  asked: ThingValuesSearch,
  signal: AbortSignal,
) {
  const { series = [], points = 0, messages_since: messagesSince } = asked;
  const now = Date.now();
  const from = readTime('since', asked.since ?? `${now - dayMs}000000`);
  const seen = await findSeen(dependencies.db, user, asked.things);
  const ids = seen.map(({ id }) => id);
  const counts =
    messagesSince === undefined
      ? undefined
      : await countMessagesSince(dependencies, user, ids, messagesSince, signal);
  const length = BigInt(now) * 1_000_000n - from;
  const step = length > 0n ? length / BigInt(Math.max(1, points)) + 1n : 1n;
  const told =
    ids.length === 0 || series.length === 0
      ? []
      : await readSeries(
          dependencies,
          user,
          { things: ids, series, span: { from, step, points, isBefore: false } },
          { isBounded: asked.since !== undefined, signal },
        );
  const byThing = Map.groupBy(told, ({ thing }) => thing);
  return seen.map(({ id, seen_at: seenAt }) => ({
    thing_id: id,
    last_seen: seenAt?.toISOString() ?? null,
    ...(counts === undefined ? {} : { messages: counts.get(id) ?? 0 }),
    series: (byThing.get(id) ?? []).map(({ thing: _thing, ...one }) => one),
  }));
}

/** Uses the primary keys of things and of when they were seen. */
async function findSeen(db: Database, user: UserCaller, things: readonly string[]) {
  const conditions = new Conditions();
  conditions.add(`things.id = ANY (${conditions.bind(things)}::uuid[])`);
  addReach(conditions, 'group_id', user);
  return db.rows<{ id: string; seen_at: Date | null }>(
    `SELECT things.id, seen.seen_at
     FROM things LEFT JOIN things_seen AS seen ON seen.thing_id = things.id
     WHERE ${conditions.text}`,
    conditions.values,
  );
}

type Asked = { things: readonly string[]; series: readonly SeriesName[]; span: Span };

async function readSeries(
  dependencies: ValueDependencies,
  user: UserCaller,
  asked: Asked,
  { isBounded, signal }: { isBounded: boolean; signal: AbortSignal },
): Promise<Told[]> {
  const lease = await takeTurn(dependencies.budgets.reads, user, signal);
  try {
    const store = openStore(dependencies, signal);
    const told = await readSpan(store, asked);
    const heard = new Set(told.map(({ thing }) => thing));
    const silent = asked.things.filter((id) => !heard.has(id));
    if (isBounded || silent.length === 0) return told;
    const span = { ...asked.span, points: 0, isBefore: true };
    const before = await readSpan(store, { ...asked, things: silent, span });
    // Intervals begin at the start of the span: none has a point.
    return [
      ...told,
      ...(asked.span.points > 0 ? before.map((one) => ({ ...one, points: [] })) : before),
    ];
  } finally {
    lease.release();
  }
}

async function readSpan(store: Store, { things, series, span }: Asked): Promise<Told[]> {
  const names = series.flatMap(({ format, name }) => (format === 'senml' ? [name] : []));
  const paths = series.flatMap(({ format, name }) => (format === 'json' ? [name] : []));
  const all = [
    ...(names.length === 0 ? [] : [readSenml(store, things, names, span)]),
    ...paths.map((path) => readJson(store, things, path, span)),
  ];
  return (await Promise.all(all)).flat();
}

/**
 * Uses the sort key: the days since, and of each the things. Before that it would be every day of each thing (200 things
 * of 10,000 with four weeks of messages: 17 times as long as one day), so only the last two days of each are read. The
 * projection `totals` knows these.
 */
function whereIn(
  format: MessageFormat,
  publishers: readonly string[],
  { from, isBefore }: Span,
): Where {
  const reach = { kind: 'publishers', publishers } as const;
  if (!isBefore) return whereOf(format, { from }, reach);
  const where = whereOf(format, {}, reach);
  const { name, time, day } = messageTables[format];
  where.add(
    `(${day}, publisher) IN (
       SELECT arrayJoin([last, last - 1]), publisher FROM (
         SELECT publisher, ${dayOf(`max(${time})`)} AS last FROM ${name} WHERE ${where.text}
         GROUP BY publisher HAVING max(${time}) < ${where.bind('Int64', String(from))}))`,
  );
  return where;
}

/** The place of a time: what lies after now counts as the last interval. */
const placeOf = (time: string, from: string, step: string, last: string) =>
  `least(intDiv(${time} - ${from}, ${step}), ${last})`;

async function readSenml(
  store: Store,
  publishers: readonly string[],
  names: readonly string[],
  span: Span,
): Promise<Told[]> {
  const { from, step, points } = span;
  const where = whereIn('senml', publishers, span);
  where.add(`name IN ${where.bind('Array(String)', names)}`);
  where.add(`kind IN ('value', 'string', 'bool')`);
  const [first, size] = [where.bind('Int64', String(from)), where.bind('Int64', String(step))];
  const place = placeOf('time', first, size, where.bind('Int64', String(points)));
  const rows = store.rows(
    `SELECT toString(publisher), toString(name), max(time) / 1e9, argMax(unit, time),
            toString(argMax(kind, time)), argMax(value, time), argMax(text, time)
     FROM senml WHERE ${where.text}
     GROUP BY publisher, name, ${place} AS place ORDER BY publisher, name, place`,
    where.bound,
  );
  const told = new Series('senml', points > 0);
  for await (const batch of rows) {
    for (const [thing, name, time, unit, kind, value, text] of batch) {
      told.put(String(thing), String(name), Number(time), {
        ...(unit === '' ? {} : { unit: String(unit) }),
        ...(kind === 'value' ? { value: Number(value) } : {}),
        ...(kind === 'bool' ? { bool_value: Number(value) === 1 } : {}),
        ...(kind === 'string' ? { string_value: String(text) } : {}),
      });
    }
  }
  return told.all;
}

async function readJson(
  store: Store,
  publishers: readonly string[],
  path: string,
  span: Span,
): Promise<Told[]> {
  const { from, step, points } = span;
  const where = whereIn('json', publishers, span);
  const found = numberAt(jsonPaths(where, path));
  const [first, size] = [where.bind('Int64', String(from)), where.bind('Int64', String(step))];
  const place = placeOf('created', first, size, where.bind('Int64', String(points)));
  const rows = store.rows(
    `SELECT toString(publisher), max(created) / 1e9, argMax(found, created)
     FROM (SELECT publisher, created, ${found} AS found FROM json WHERE ${where.text})
     WHERE found IS NOT NULL
     GROUP BY publisher, ${place} AS place ORDER BY publisher, place`,
    where.bound,
  );
  const told = new Series('json', points > 0);
  for await (const batch of rows) {
    for (const [thing, time, value] of batch) {
      told.put(String(thing), path, Number(time), { value: Number(value) });
    }
  }
  return told.all;
}

type Value = Pick<SeriesValue, 'unit' | 'value' | 'string_value' | 'bool_value'>;

/** Puts the rows of a series together, which come by time: the last one is its newest value. */
class Series {
  readonly all: Told[] = [];
  readonly #format: SeriesValue['format'];
  readonly #hasPoints: boolean;

  constructor(format: SeriesValue['format'], hasPoints: boolean) {
    this.#format = format;
    this.#hasPoints = hasPoints;
  }

  put(thing: string, name: string, time: number, value: Value): void {
    const before = this.all.at(-1);
    const isSame = before?.thing === thing && before.name === name;
    if (isSame) this.all.pop();
    const { value: number } = value;
    const points = [
      ...((isSame && before.points) || []),
      ...(number === undefined ? [] : [{ time, value: number }]),
    ];
    const told = { thing, format: this.#format, name, time, ...value };
    this.all.push(this.#hasPoints ? { ...told, points } : told);
  }
}
