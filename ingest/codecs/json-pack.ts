import { StringColumn, TimeColumn } from './columns.ts';

/** The records of one JSON message. One object for all messages: `clear`, then fill. */
export class JsonPack {
  readonly capacity: number;
  count = 0;
  readonly times: TimeColumn;
  /** Each record's payload as JSON text. */
  readonly payloads = new StringColumn();

  constructor(capacity: number) {
    this.capacity = capacity;
    this.times = new TimeColumn(capacity);
  }

  clear(): void {
    this.count = 0;
    this.payloads.clear();
  }
}
