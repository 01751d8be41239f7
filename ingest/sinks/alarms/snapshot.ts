import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isAbsent } from '../../../infra/runtime/process/files.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { replaceFile } from '../../log/files.ts';
import type { Position } from '../../log/format.ts';
import { KnownPairs } from './known-pairs.ts';
import { keyOf, type KnownStates } from './known-states.ts';

/*
 * When each thing that is ok under a rule sent its newest record, as the log up to a position left it: the file
 * `alarms.states`. A start takes it, and the times of what the log has after it. Else a record that comes late after a
 * restart would count as the newest, and fire.
 *
 * u32 CRC-32 of what follows, u32 bytes of the head, the head as JSON, then the columns of each table.
 */

const Head = Type.Object({
  logId: Type.String(),
  segment: Type.Integer(),
  offset: Type.Integer(),
  rules: Type.Array(Type.Object({ number: Type.Integer(), key: Type.String() })),
  tables: Type.Array(Type.Object({ series: Type.Integer(), size: Type.Integer() })),
});
const isHead = Compile(Head);

const fileName = 'alarms.states';
const prefixBytes = 8;
/** The log grows by this many times the bytes of a snapshot before it is worth the next one. */
const logPerSnapshot = 4;

type SnapshotOptions = {
  directory: string;
  logId: string;
  states: KnownStates;
  segmentBytes: number;
  /** So many segments of the log are kept for it at most, and it is at most so old. */
  segmentsMax: number;
  msMax: number;
  logger: Logger;
};

/** The snapshot of a log's pairs: read at a start, and written anew before the log keeps too much for it. */
export class Snapshot {
  readonly #options: SnapshotOptions;
  /** The position that the file is of; undefined: there is none. */
  #position: Position | undefined;
  /** The file, until its pairs were taken. */
  #unread: Buffer | undefined;
  #isOpen = false;
  #writtenAt = performance.now();
  #writing: Promise<void> | undefined;

  private constructor(options: SnapshotOptions, unread: Buffer | undefined) {
    this.#options = options;
    this.#unread = unread;
    const head = unread && headOf(unread);
    if (head?.logId === options.logId) this.#position = head;
    else this.#unread = undefined;
  }

  static async read(options: SnapshotOptions): Promise<Snapshot> {
    const { directory, logger } = options;
    const bytes = await fs.readFile(join(directory, fileName)).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    if (bytes !== undefined && headOf(bytes) === undefined) {
      logger.warn('the snapshot of alarms is damaged: records that come late may count as new');
    }
    return new Snapshot(options, bytes);
  }

  /** Takes the pairs of the rules that are there. Returns the position that they are of: `first`, if there is no file. */
  async open(first: Position): Promise<Position> {
    this.#isOpen = true;
    const bytes = this.#unread;
    const head = bytes && headOf(bytes);
    if (bytes === undefined || head === undefined) {
      // From here on the log is kept for the next start.
      await this.#write(first);
      return first;
    }
    const keys = new Map(head.rules.map(({ number, key }) => [number, key]));
    let at = prefixBytes + bytes.readUInt32LE(4);
    for (const { series, size } of head.tables) {
      const { pairs, end } = KnownPairs.of(series, size, bytes, at);
      this.#options.states.restore(pairs, keys);
      at = end;
    }
    this.#unread = undefined;
    return head;
  }

  /** The oldest segment of the log that a start would need, if the sink itself needs those from `needed` on. */
  neededSegment(needed: number): number {
    const { states } = this.#options;
    const isClean = this.#isOpen && !states.hasChanged && this.#writing === undefined;
    return isClean || this.#position === undefined
      ? needed
      : Math.min(needed, this.#position.segment);
  }

  /** Writes it anew if it is time to. All before `position` was looked at, and nothing after it. */
  keepUp(position: Position): void {
    const { states, msMax, logger } = this.#options;
    if (!this.#isOpen || this.#writing !== undefined || !states.hasChanged) return;
    const segments = position.segment - (this.#position?.segment ?? 0);
    if (segments < this.#segmentsKept() && performance.now() - this.#writtenAt < msMax) return;
    this.#writing = this.#write(position)
      .catch((error: unknown) => logger.error({ error }, 'the snapshot of alarms is not written'))
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /**
   * As long as a snapshot is small beside what is kept for it, it is written at each segment: the log makes the next ones of
   * those that are released one by one, and of many at once it deletes most.
   */
  #segmentsKept(): number {
    const { states, segmentBytes, segmentsMax } = this.#options;
    const bytes = states.tables.reduce((sum, pairs) => sum + pairs.bytes, 0);
    return Math.min(Math.ceil((bytes * logPerSnapshot) / segmentBytes), segmentsMax);
  }

  /** Writes it for the next start. */
  async close(position: Position): Promise<void> {
    await this.#writing;
    if (this.#isOpen && this.#options.states.hasChanged) await this.#write(position);
  }

  async #write({ segment, offset }: Position): Promise<void> {
    const { directory, logId, states } = this.#options;
    const known = states.tables;
    const rules = states.rules.map(({ rule, number }) => ({ number, key: keyOf(rule) }));
    const tables = known.map(({ series, size }) => ({ series, size }));
    const head = Buffer.from(JSON.stringify({ logId, segment, offset, rules, tables }));
    const prefix = Buffer.alloc(prefixBytes);
    prefix.writeUInt32LE(head.length, 4);
    // A copy: the columns go on while it is written.
    const file = Buffer.concat([prefix, head, ...known.flatMap((pairs) => pairs.columns())]);
    file.writeUInt32LE(crc32(file.subarray(4)), 0);
    this.#writtenAt = performance.now();
    states.hasChanged = false;
    try {
      await replaceFile(join(directory, fileName), file);
    } catch (error) {
      states.hasChanged = true;
      throw error;
    }
    this.#position = { segment, offset };
  }
}

function headOf(bytes: Buffer) {
  if (bytes.length < prefixBytes || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) {
    return undefined;
  }
  const text = bytes.toString('utf8', prefixBytes, prefixBytes + bytes.readUInt32LE(4));
  const head: unknown = JSON.parse(text);
  return isHead.Check(head) ? head : undefined;
}
