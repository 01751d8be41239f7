import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { limits } from '../../../../infra/local/clickhouse/limits.ts';
import { createSlots } from '../../../../infra/local/clickhouse/engine/slots.ts';

/*
 * What a server of a cluster does with ON CLUSTER, for the trial: it carries the statement to the shards. A table
 * whose name ends in `_shard` is in each shard's database, and all of them together, to be read, in the own one.
 * All others are alike on every server: here they are there once.
 */

/** The engine, asked over HTTP. */
export type Engine = ReturnType<typeof asksForEngine>;

type Answer = { status: number; headers: Headers; body: ReadableStream<Uint8Array> | null };

export function asksForEngine(url: string) {
  async function ask(settings: Record<string, string>, body: Buffer | string): Promise<Response> {
    const answer = await fetch(`${url}/?${new URLSearchParams(settings).toString()}`, {
      method: 'POST',
      body,
    });
    if (!answer.ok)
      throw new Error(`${await answer.text()} of ${settings['query'] ?? body.toString()}`);
    return answer;
  }
  return {
    url,
    async run(query: string, settings: Record<string, string>): Promise<string> {
      return (await ask(settings, query)).text();
    },
    /** Settings with a `_` are of who asks over TCP, and the text of the query has its own. */
    async insert(query: string, settings: Record<string, string>, data: Buffer): Promise<void> {
      const text = `${query.replace(/ (FORMAT|VALUES).*$/s, '')} FORMAT Native`;
      await ask({ ...settings, query: text }, data);
    },
    /** Those that an INSERT names, with their types. */
    async columnsOf(query: string): Promise<[string, string][]> {
      const [, table = '', list = ''] = /^INSERT INTO (\S+) \(([^)]*)\)/.exec(query) ?? [];
      const text = await (await ask({}, `DESCRIBE TABLE ${table} FORMAT TabSeparatedRaw`)).text();
      const types = new Map(
        text.split('\n').map((line) => {
          const [name = '', type = ''] = line.split('\t');
          return [name, type];
        }),
      );
      return list.split(', ').map((quoted) => {
        const name = quoted.replaceAll('`', '');
        return [name, types.get(name) ?? ''];
      });
    },
    /** A request as it came, until its client is `gone`. */
    async pass(
      search: URLSearchParams,
      request: IncomingMessage,
      body: Buffer,
      gone: AbortSignal,
    ): Promise<Answer> {
      const type = request.headers['content-type'];
      const answer = await fetch(`${url}/?${search.toString()}`, {
        method: 'POST',
        body,
        signal: gone,
        headers: type === undefined ? {} : { 'content-type': type },
      });
      return { status: answer.status, headers: answer.headers, body: answer.body };
    },
    ping: () => fetch(`${url}/ping`),
  };
}

/** The engine runs four inserts at once, and one into a Distributed table needs two more for the shards'. */
const writers = createSlots([0], 1_000);

export async function startFront(
  engine: Engine,
  shards: readonly string[],
): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer({ maxHeaderSize: limits.headerBytesMax }, (request, response) => {
    // The engine is away, or the client.
    serve(engine, shards, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  engine: Engine,
  shards: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://front');
  if (url.pathname === '/ping') {
    response.end(await (await engine.ping()).text());
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const body = await buffer(request);
  const inUrl = url.searchParams.get('query');
  const asked = inUrl ?? body.toString();
  let answer: Answer | undefined;
  for (const { query, database } of statementsFor(
    asked,
    shards,
    url.searchParams.get('database') ?? '',
  )) {
    const search = new URLSearchParams(url.searchParams);
    search.set('additional_table_filters', ownRows(url.searchParams.get('database') ?? ''));
    if (database !== undefined) search.set('database', database);
    // The engine writes to the shards over TCP, and reads them in its own process.
    const writes = /^\s*INSERT INTO (senml|json|restore_\w+(?<!_gone)) /.test(query);
    search.set('prefer_localhost_replica', writes ? '0' : '1');
    if (inUrl !== null) search.set('query', query);
    const passed = inUrl === null ? Buffer.from(query) : body;
    const pass = () => engine.pass(search, request, passed, gone.signal);
    answer = await (writes ? writers.use(gone.signal, pass) : pass());
    if (answer.status !== 200) break;
  }
  response.statusCode = answer?.status ?? 200;
  answer?.headers.forEach((value, name) => {
    if (name.startsWith('x-clickhouse') || name === 'content-type') response.setHeader(name, value);
  });
  await pipeline(answer?.body ?? [], response);
}

/** The tables of which each shard has a part, of all databases. */
const parted = new Set<string>();

/** A shard reads its own rows of them; whoever is no shard, all. */
function ownRows(database: string): string {
  const filters = [...parted].map(
    (table) =>
      `'${database}.${table}': 'shardNum() IN (0, toUInt32(substring(_database, ${'shard_'.length + 1})))'`,
  );
  return `{${filters.join(', ')}}`;
}

/** What the engine is to run in which database, for one statement. */
function statementsFor(
  asked: string,
  shards: readonly string[],
  own: string,
): { query: string; database?: string | undefined }[] {
  if (!/ ON CLUSTER /.test(asked)) {
    // This server's part of a table is the first shard's.
    const [database] = shards;
    if (/^\s*(ALTER TABLE|INSERT INTO) \w+_shard/.test(asked))
      return [{ query: fromOwn(asked, own), database }];
    return [{ query: readsItself(seen(asked, shards)) }];
  }
  const query = alone(asked);
  if (/^\s*SYSTEM SYNC/.test(query)) return [];
  if (!/\w_shard\b/.test(query) || /ENGINE = Distributed/.test(query)) return [{ query }];
  // These are on every server.
  const local = query.replaceAll(/FROM (publishers|kept|restore_\w+_gone)\b/g, `FROM ${own}.$1`);
  const each = shards.map((database) => ({ query: local, database }));
  const [, verb, table = ''] =
    /^\s*(CREATE|ALTER|DROP) TABLE (?:IF (?:NOT )?EXISTS )?(\w+)/.exec(query) ?? [];
  if (verb === 'DROP') return [...each, { query: `DROP TABLE IF EXISTS ${table}` }];
  const changesColumns = verb === 'CREATE' || (verb === 'ALTER' && / COLUMN /.test(query));
  if (!changesColumns) return each;
  parted.add(table);
  // It holds nothing. With other columns than the shards have, their answers would not fit the question.
  const merged = `CREATE OR REPLACE TABLE ${table} AS ${shards[0]}.${table}
    ENGINE = Merge(REGEXP('^shard_[0-9]+$'), '^${table}$')`;
  return [...each, { query: merged }];
}

/** The statement for a server that is in no cluster and has no replicas. */
function alone(query: string): string {
  return query
    .replace(/ ON CLUSTER \S+/, '')
    .replace(/^(CREATE TABLE IF NOT EXISTS) \w+\.(\w+) UUID '[^']+'/, '$1 $2')
    .replaceAll(/Replicated(\w*MergeTree)\(('[^']*', '[^']*')(?:, )?/g, '$1(')
    .replaceAll('ReplicatedMergeTree', 'MergeTree')
    .replaceAll(/\breplicated_deduplication_window/g, 'non_replicated_deduplication_window');
}

/** The tables of the former single server are in the database of the server's own tables. */
function fromOwn(query: string, own: string): string {
  return query.replace(/FROM (\w+_single)/, `FROM ${own}.$1`);
}

/** What an INSERT into the shards reads of them. */
function readsItself(query: string): string {
  return query
    .replace(/(NOT IN \(\s*SELECT[^()]*\([^()]*\))\)/, '$1 SETTINGS prefer_localhost_replica = 1)')
    .replace(
      /^(\s*INSERT INTO restore_\w+ \(([^)]*)\))\s*(SELECT .* FROM (?!input).*)$/s,
      '$1 SELECT $2 FROM ($3 SETTINGS prefer_localhost_replica = 1)',
    );
}

/** What system tables say of a server's tables: of all shards, or as the first shard's server would tell them. */
function seen(query: string, shards: readonly string[]): string {
  const isOfTables = query.includes('system.tables');
  if (!isOfTables && !/system\.(mutations|parts)/.test(query)) return query;
  const databases = (isOfTables ? shards.slice(0, 1) : shards).map((name) => `'${name}'`);
  return query
    .replaceAll(
      'database = currentDatabase()',
      `database IN (currentDatabase(), ${databases.join(', ')})${isOfTables ? " AND engine != 'Merge'" : ''}`,
    )
    .replace("engine LIKE 'Replicated%'", "engine LIKE '%MergeTree'");
}
