import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Value } from 'typebox/value';
import { LoadSummary } from '../../harness/load/wrk.ts';
import { loadPacks, type Pack, placeholderSecond, publishers } from '../points.ts';
import type { Form } from './form.ts';
import { MessageWriter } from './message-writer.ts';

/** Between the beginning of Unix time and that of PostgreSQL's. */
const postgresEpochSecond = 946_684_800;

const copySignature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const statementName = 'points';
const columns = 'time, publisher, name, value';
const columnCount = 4;
/** Of `pg_type`. */
const types = { int4: 23, text: 25, float8: 701, timestamptz: 1_184 };

/** PostgreSQL's protocol (its documents, *Frontend/Backend Protocol*), with values in binary. */
export function overPostgres(options: {
  port: number;
  user: string;
  table: string;
  by: 'insert' | 'copy';
  /** Of each session, as `-c name=value`. */
  settings: string;
  fill: Form['fill'];
}): Form {
  const { port, user, table, by, settings, fill } = options;
  return {
    prepare(path, pointsEach) {
      const writer = new MessageWriter();
      const file = openSync(path, 'w');
      for (const pack of loadPacks(pointsEach)) {
        if (by === 'insert') writeInsert(writer, pack);
        else writeCopy(writer, table, pack);
        const { bytes, marks } = writer.take();
        writeSync(file, Uint32Array.of(bytes.length, marks.length));
        writeSync(file, Uint32Array.from(marks));
        writeSync(file, bytes);
      }
      closeSync(file);
    },

    async load({ requestsPath, connections, seconds, firstSecond }) {
      const script = join(import.meta.dirname, 'postgres-generator.ts');
      const settled = {
        port,
        user,
        settings,
        statementName,
        statement: by === 'insert' ? insertStatement(table) : '',
        requestsPath,
        connections,
        seconds,
        placeholderSecond: placeholderSecond - postgresEpochSecond,
        firstSecond: firstSecond - postgresEpochSecond,
        requestsASecond: publishers,
      };
      const args = [script, JSON.stringify(settled)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const summary = Value.Parse(LoadSummary, JSON.parse(stdout));
      const taken = summary.requests - summary.refused;
      return { ...summary, requestsPerSecond: taken / (summary.microseconds / 1e6) };
    },

    fill,
  };
}

/** Of as many rows as the arrays are long: at 100 and more it is faster than parameters of each row. */
function insertStatement(table: string): string {
  const arrays = '$1::timestamptz[], $2::integer[], $3::text[], $4::double precision[]';
  return `INSERT INTO ${table} (${columns}) SELECT * FROM unnest(${arrays})`;
}

/** Bind, Execute and Sync of the statement that each connection has prepared. */
function writeInsert(writer: MessageWriter, { publisher, points }: Pack): void {
  writer.begin('B');
  writer.text('');
  writer.text(statementName);
  // All parameters are binary.
  writer.int16(1);
  writer.int16(1);
  writer.int16(columnCount);
  const beginArray = (type: number, valuesBytes: number) => {
    const [dimensions, hasNulls, lowest] = [1, 0, 1];
    writer.int32(20 + 4 * points.length + valuesBytes);
    for (const field of [dimensions, hasNulls, type, points.length, lowest]) writer.int32(field);
  };
  beginArray(types.timestamptz, 8 * points.length);
  for (const { timeMs } of points) writeTime(writer, timeMs);
  beginArray(types.int4, 4 * points.length);
  for (let at = 0; at < points.length; at++) writePublisher(writer, publisher);
  beginArray(types.text, points.map(({ name }) => name).join('').length);
  for (const { name } of points) writeName(writer, name);
  beginArray(types.float8, 8 * points.length);
  for (const { value } of points) writeValue(writer, value);
  // All results, of which there are none, are text.
  writer.int16(0);
  writer.end();
  writer.begin('E');
  writer.text('');
  writer.int32(0);
  writer.end();
  writer.begin('S');
  writer.end();
}

/** A query with the data that it asks for right after it: the server need not ask. */
function writeCopy(writer: MessageWriter, table: string, { publisher, points }: Pack): void {
  writer.begin('Q');
  writer.text(`COPY ${table} (${columns}) FROM STDIN (FORMAT binary)`);
  writer.end();
  writer.begin('d');
  writer.bytes(copySignature);
  const [flags, extensionBytes] = [0, 0];
  writer.int32(flags);
  writer.int32(extensionBytes);
  for (const { name, timeMs, value } of points) {
    writer.int16(columnCount);
    writeTime(writer, timeMs);
    writePublisher(writer, publisher);
    writeName(writer, name);
    writeValue(writer, value);
  }
  writer.int16(-1);
  writer.end();
  writer.begin('c');
  writer.end();
}

// Values, each after its length.

/** Marked, as the generator writes it anew. */
function writeTime(writer: MessageWriter, timeMs: number): void {
  writer.int32(8);
  writer.mark();
  writer.int64((timeMs - postgresEpochSecond * 1_000) * 1_000);
}

function writePublisher(writer: MessageWriter, publisher: number): void {
  writer.int32(4);
  writer.int32(publisher);
}

function writeName(writer: MessageWriter, name: string): void {
  writer.int32(name.length);
  writer.bytes(Buffer.from(name));
}

function writeValue(writer: MessageWriter, value: number): void {
  writer.int32(8);
  writer.float64(value);
}
