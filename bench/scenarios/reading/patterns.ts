import type { Session } from 'chdb';
import type { Caller } from '../../../api/access/caller.ts';
import { readPage } from '../../../api/messages/pages/page.ts';
import { Publishers } from '../../../api/messages/reach/publishers.ts';
import type { Bound } from '../../../infra/runtime/stores/clickhouse-ask.ts';
import { openClickHouseClients } from '../../../api/stores/clickhouse.ts';
import { openDatabase } from '../../../api/stores/database.ts';
import { createBudgets } from '../../../api/budgets/budgets.ts';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openPostgres } from '../../../infra/runtime/stores/postgres.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { System } from '../../../test/support/system.ts';
import { median } from '../../../test/support/statistics.ts';
import { atMost, type Figure, info } from '../../harness/figures.ts';

const turns = 40;
/** Before the measurement: until the servers know the statements and hold the store's marks. */
const warmUps = 10;
/** A query's statements to ClickHouse are looked up this often; each time for another thing. */
const variants = 10;
const day = 86_400n * 1_000_000_000n;

/** `end`: the newest message's time in ns. */
export type Readers = { things: readonly string[]; admin: Reader; viewer: Reader; end: bigint };
type Reader = { token: string; caller: Caller };
export type Ask = (token: string, query: string) => Promise<string>;

type Pattern = [name: string, ceilingMs: number, reader: Reader, query: () => Partial<ReaderQuery>];

/** What analysts ask most. */
function patterns({ things, admin, viewer, end }: Readers): Pattern[] {
  const publisher = () => things[Math.floor(Math.random() * things.length)] ?? '';
  const series = () => ({ publisher: publisher(), name: 'sensor1' });
  const oneDay = { from: String(end - 7n * day), to: String(end - 6n * day) };
  const byHour = { agg_type: 'avg', agg_interval: 'hour' } as const;
  const limit = 1_000;
  return [
    ['newest 10 of a thing', 10, admin, () => ({ publisher: publisher() })],
    ['newest 10 of 5,000 things', 10, viewer, () => ({})],
    ['newest 10 of everything', 10, admin, () => ({})],
    ['a day of one series', 10, admin, () => ({ ...series(), ...oneDay, limit })],
    ['a month of one series by hour', 30, admin, () => ({ ...series(), ...byHour, limit })],
    ['300 points of a month of one series', 30, admin, () => ({ ...series(), points: 300 })],
  ];
}

/** Each pattern through the API, in turns with the statements that it makes of it in `engine` alone, one by one. */
export async function patternFigures(
  system: System,
  readers: Readers,
  ask: Ask,
  engine: Session,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, ceilingMs, reader, query] of patterns(readers)) {
    const asked: { text: string; statements: Statement[] }[] = [];
    for (let at = 0; at < variants; at++) {
      const one = query();
      asked.push({ text: textOf(one), statements: await statementsOf(system, reader, one) });
    }
    const [byApi, alone]: [number[], number[]] = [[], []];
    for (let turn = -warmUps; turn < turns; turn++) {
      const one = asked[(turn + warmUps) % variants];
      if (one === undefined) continue;
      const api = await timed(() => ask(reader.token, one.text));
      const engineAlone = await timed(() => runAll(engine, one.statements));
      if (turn < 0) continue;
      byApi.push(api);
      alone.push(engineAlone);
    }
    figures.push(
      atMost(`${name}, with its total`, median(byApi), 'ms', ceilingMs),
      info(`${name}, in the engine alone`, median(alone), 'ms'),
      atMost(`${name}, to the engine alone`, median(byApi) / median(alone), 'ratio', 2),
    );
  }
  return figures;
}

function textOf(query: Partial<ReaderQuery>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return parameters.toString();
}

type Statement = { query: string; bound: Bound };

/** What the API asks ClickHouse for this query. */
async function statementsOf(
  { databaseUrl, clickhouseUrl }: System,
  { caller }: Reader,
  query: Partial<ReaderQuery>,
): Promise<Statement[]> {
  const pool = openPostgres(databaseUrl, 1, 10_000, createLog('bench', 'silent'));
  const clickhouse = openClickHouseClients(clickhouseUrl, clickhouseUrl);
  const statements: Statement[] = [];
  const reader = new Proxy(clickhouse.reader, {
    get(target, name) {
      if (name !== 'ask') return Reflect.get(target, name);
      return (asked: Parameters<typeof target.ask>[0]) => {
        const unformatted = asked.query.replace(/\nFORMAT \w+$/, '');
        statements.push({ query: unformatted, bound: asked.bound });
        return target.ask(asked);
      };
    },
  });
  try {
    const budgets = createBudgets();
    const db = openDatabase(pool, pool, budgets);
    const publishers = new Publishers(db, clickhouse.writer);
    const dependencies = { db, publishers, clickhouse: { ...clickhouse, reader }, budgets };
    const whole = { limit: 10, offset: 0, dir: 'desc', ...query } as const;
    const page = await readPage(dependencies, 'senml', caller, whole, new AbortController().signal);
    for await (const text of page.texts) void text;
    page.close();
  } finally {
    await clickhouse.close();
    await pool.end();
  }
  return statements;
}

async function runAll(engine: Session, statements: readonly Statement[]): Promise<void> {
  for (const { query, bound } of statements) {
    await engine.queryBindAsync(query, bound, { format: 'TabSeparatedRaw' });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
