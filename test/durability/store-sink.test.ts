import * as fs from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { type Running, startClickHouse } from '../support/services/embedded-clickhouse.ts';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { migrateClickHouse } from '../../infra/migrations/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { Life, stopLives } from '../support/messages/sink-life.ts';
import { Codec } from '../../ingest/codecs/codec.ts';
import { rowBytes, writeRow } from '../../ingest/codecs/row-binary.ts';
import { limits as codecLimits, publisher } from '../../ingest/codecs/testing.ts';
import { uuidToRowBinary } from '../../ingest/codecs/uuid.ts';
import { readCursor } from '../../ingest/log/cursor.ts';
import { readIdentity } from '../../ingest/log/directory/identity.ts';
import { renewReverted } from '../../ingest/log/directory/identity.ts';
import { isReverted } from '../../ingest/sinks/store/reverted.ts';
import type { Batch } from '../../ingest/log/reader.ts';
import { ClickHouseStore } from '../../ingest/sinks/store/send.ts';

let dataDir: string;
let engine: Running;
let clickhouse: ClickHouseClient;
let directory: string;

beforeAll(async () => {
  dataDir = await fs.mkdtemp(join(tmpdir(), 'millrace-sink-test-'));
  engine = await startClickHouse(dataDir);
  await migrateClickHouse(engine.url, createLog('test', 'silent'));
  clickhouse = openClickHouse(engine.url, 'millrace-test', 30_000);
});

beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), 'millrace-sink-test-'));
});

afterEach(async () => {
  await stopLives();
  await command('TRUNCATE TABLE senml');
  await window(10_000);
  await fs.rm(directory, { recursive: true });
});

afterAll(async () => {
  await clickhouse.close();
  await engine.end('SIGTERM');
  await fs.rm(dataDir, { recursive: true });
});

async function command(query: string): Promise<void> {
  await clickhouse.command({ query });
}

/** How many inserts the engine remembers; 0: it has lost every note of them. */
async function window(inserts: number): Promise<void> {
  await command(
    `ALTER TABLE senml MODIFY SETTING non_replicated_deduplication_window = ${inserts}`,
  );
}

/** The names that are stored, each as often as it is, with the batches that brought them. */
async function stored(): Promise<{ names: string[]; batches: Map<string, number> }> {
  const result = await clickhouse.query({
    query: 'SELECT name, batch FROM senml ORDER BY name',
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ name: string; batch: number }>();
  const batches = new Map(rows.map(({ name, batch }) => [name, batch]));
  return { names: rows.map(({ name }) => name), batches };
}

describe('a batch that may be in the store', () => {
  it('is stored once even when the store has forgotten the insert', async () => {
    await window(0);
    const first = await Life.begin(clickhouse, directory);
    await first.send(['a', 'b']);
    await first.sent(1);
    await first.kill();
    const again = await Life.begin(clickhouse, directory);
    await again.send(['c']);
    await again.sent(2);
    expect((await stored()).names).toEqual(['a', 'b', 'c']);
  });

  it('is stored once even when its response is lost again and again', async () => {
    await window(0);
    let losing = 5;
    const life = await Life.begin(clickhouse, directory, () => {
      if (losing-- > 0) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    });
    await life.send(['a', 'b']);
    await life.sent(1);
    expect(life.sink.progress().retries).toBe(5);
    expect((await stored()).names).toEqual(['a', 'b']);
  });

  it('is completed: only its missing partitions are inserted', async () => {
    await window(0);
    const first = await Life.begin(clickhouse, directory);
    await first.send(['a', 'b', 'c'], 2024);
    await first.sent(1);
    await first.kill();
    // As a kill in the middle of the commit leaves it.
    await command("ALTER TABLE senml DROP PARTITION ID '2025'");
    expect((await stored()).names).toEqual(['a', 'c']);
    const again = await Life.begin(clickhouse, directory);
    await again.sent(1);
    expect((await stored()).names).toEqual(['a', 'b', 'c']);
  });

  it('is stored though the store takes it for one that it has', async () => {
    const first = await Life.begin(clickhouse, directory);
    await first.send(['a', 'b', 'c'], 2024);
    await first.sent(1);
    await first.kill();
    // The note of the insert stays, as where a kill came between the note and what it is of.
    await command("DELETE FROM senml WHERE name != 'b'");
    expect((await stored()).names).toEqual(['b']);
    const again = await Life.begin(clickhouse, directory);
    await again.sent(1);
    expect((await stored()).names).toEqual(['a', 'b', 'c']);
  });

  it('is noted as stored on the disk once no other follows', async () => {
    const life = await Life.begin(clickhouse, directory);
    await life.send(['a']);
    await life.sent(1);
    await eventually(async () => {
      const cursor = await readCursor(join(directory, 'senml.cursor'));
      expect(cursor?.sendingTo).toBeUndefined();
      expect(cursor?.position).toEqual(life.log.positions.committed());
      expect(life.sink.progress().saved).toEqual(life.log.positions.committed());
    });
  });

  it('has its cursor on the disk as soon as that is waited for', async () => {
    const life = await Life.begin(clickhouse, directory);
    const end = await life.log.flushed();
    life.log.positions.awaitSaved(end);
    await eventually(() => expect(life.sink.progress().saved).toEqual(end));
    await life.send(['a']);
    const after = await life.log.flushed();
    life.log.positions.awaitSaved(after);
    await eventually(() => expect(life.sink.progress().saved).toEqual(after));
    expect((await stored()).names).toEqual(['a']);
  });
});

/** The row of a message with these records, a day apart from each other, so many hours after the start of 2026. */
function rowOf(records: readonly { n: string }[], sender = publisher, hours = 0): Buffer {
  const start = 1_767_225_600 + hours * 3_600;
  const pack = records.map((record, at) => ({ ...record, v: at, t: start - at * 86_400 }));
  const body = Buffer.from(JSON.stringify(pack));
  const read = new Codec(codecLimits).read(body, 'application/senml+json', {}, Date.now());
  if (read.kind === 'refused') throw new Error(read.detail);
  const row = Buffer.alloc(rowBytes(read, ''));
  writeRow(read, { publisher: sender, protocol: 'http', subtopic: '' }, row, 0);
  return row;
}

function batchOf(rows: readonly Buffer[], recordsOfEach: number): Batch {
  return {
    from: { segment: 1, offset: 0 },
    to: { segment: 1, offset: 8 },
    frames: rows.length,
    records: rows.length * recordsOfEach,
    body: Buffer.concat(rows),
    offsets: [],
    ends: [],
    formats: [],
  };
}

it('each partition of a batch is one part, however many records it has', async () => {
  const records = Array.from({ length: 10_000 }, () => ({ n: 'n' }));
  const row = rowOf(records);
  const batch = batchOf(
    Array.from({ length: 100 }, () => row),
    records.length,
  );
  await new ClickHouseStore(clickhouse, 'senml', 'large').insert(batch, 1, []);
  const result = await clickhouse.query({
    query: `SELECT max(parts), sum(rows) FROM (
              SELECT partition_id, count() AS parts, sum(rows) AS rows FROM system.parts
              WHERE database = currentDatabase() AND table = 'senml' AND active AND level = 0
              GROUP BY partition_id)`,
    format: 'JSONCompactEachRow',
  });
  expect(await result.json()).toEqual([[1, batch.records]]);
});

it('a batch comes in the order of its table, so that the store need not sort it', async () => {
  const things = Array.from({ length: 50 }, () => uuidToRowBinary(randomUUID()));
  const rows = [0, 1, 2].flatMap((turn) =>
    things.map((thing) => rowOf([{ n: 'b' }, { n: 'a' }, { n: `c${turn}` }], thing, turn)),
  );
  const before = await sortedBlocks();
  await new ClickHouseStore(clickhouse, 'senml', 'sorted').insert(batchOf(rows, 3), 1, []);
  const after = await sortedBlocks();
  expect(after.blocks - before.blocks).toBe(2);
  expect(after.sorted - before.sorted).toBe(2);
});

/** The blocks that the engine has written so far, and those of them that it found in order. */
async function sortedBlocks(): Promise<{ blocks: number; sorted: number }> {
  const result = await clickhouse.query({
    query: `SELECT toUInt32(sumIf(value, event = 'MergeTreeDataWriterBlocks')) AS blocks,
                   toUInt32(sumIf(value, event = 'MergeTreeDataWriterBlocksAlreadySorted')) AS sorted
            FROM system.events`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ blocks: number; sorted: number }>();
  return row ?? { blocks: 0, sorted: 0 };
}

describe('a batch that is refused', () => {
  beforeEach(() => command("ALTER TABLE senml ADD CONSTRAINT no_bad CHECK name != 'bad'"));
  afterEach(() => command('ALTER TABLE senml DROP CONSTRAINT no_bad'));

  it('is sent in parts, each with a number of its own', async () => {
    engine.process.kill('SIGSTOP');
    const life = await Life.begin(clickhouse, directory);
    try {
      for (const name of ['a', 'bad', 'c', 'd']) await life.send([name]);
    } finally {
      engine.process.kill('SIGCONT');
    }
    await life.send(['e']);
    await eventually(async () => {
      const { names } = await stored();
      expect(names).toEqual(['a', 'c', 'd', 'e']);
    });
    await eventually(() => life.sink.progress().quarantinedRecords === 1);
    const { batches } = await stored();
    const numbers = new Set(batches.values()).size;
    // The store has a batch before the sink has heard so.
    await eventually(() => expect(life.sink.progress().batches).toBe(numbers));
  });
});

describe('a log that was reverted or copied', () => {
  /** What the start of an edge does with a log directory. */
  async function renewed(at: string): Promise<boolean> {
    const { id } = await readIdentity(at);
    const stores = {
      senml: new ClickHouseStore(clickhouse, 'senml', id),
      json: new ClickHouseStore(clickhouse, 'json', id),
    };
    const isCopy = await isReverted(at, stores);
    if (isCopy) await renewReverted(at, createLog('test', 'silent'));
    return isCopy;
  }

  it('is noticed, and what it acknowledges is stored', async () => {
    const first = await Life.begin(clickhouse, directory);
    await first.send(['a']);
    await first.sent(1);
    await first.stop();
    expect(await renewed(directory)).toBe(false);
    const copy = `${directory}-copy`;
    await fs.cp(directory, copy, { recursive: true });
    const second = await Life.begin(clickhouse, directory);
    await second.send(['b']);
    await second.sent(1);
    await second.stop();
    expect(await renewed(directory)).toBe(false);
    const before = await readIdentity(copy);
    expect(await renewed(copy)).toBe(true);
    const after = await readIdentity(copy);
    expect(after.id).not.toBe(before.id);
    expect(after.former).toBe(1);
    const third = await Life.begin(clickhouse, copy);
    await third.send(['c']);
    await third.sent(1);
    await third.stop();
    await fs.rm(copy, { recursive: true });
    expect((await stored()).names).toEqual(['a', 'b', 'c']);
  });

  it('sends nothing as another log does, though the store could not be asked at its start', async () => {
    const first = await Life.begin(clickhouse, directory);
    await first.send(['a']);
    await first.sent(1);
    await first.stop();
    const copy = `${directory}-copy`;
    await fs.cp(directory, copy, { recursive: true });
    const second = await Life.begin(clickhouse, directory);
    await second.send(['b']);
    await second.sent(1);
    const third = await Life.begin(clickhouse, copy);
    await third.send(['c']);
    await eventually(() => third.reverted > 0);
    await third.stop();
    await fs.rm(copy, { recursive: true });
    expect((await stored()).names).toEqual(['a', 'b']);
  });

  it('loses no message of a copy that runs beside it: a batch is identified by its content too', async () => {
    const copy = `${directory}-copy`;
    const first = await Life.begin(clickhouse, directory);
    await first.stop();
    await fs.cp(directory, copy, { recursive: true });
    // As if both had asked before either of them brought anything.
    const lives = [
      await Life.begin(clickhouse, directory, undefined, () => Promise.resolve(0)),
      await Life.begin(clickhouse, copy, undefined, () => Promise.resolve(0)),
    ];
    await Promise.all(lives.map((life, at) => life.send([`of-${at}`])));
    for (const life of lives) await life.sent(1);
    expect((await stored()).names).toEqual(['of-0', 'of-1']);
    for (const life of lives) await life.stop();
    await fs.rm(copy, { recursive: true });
  });
});
