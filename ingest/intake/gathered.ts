import { JsonColumnBatch } from '../codecs/json/column-batch.ts';
import { type ColumnBatch, rowBytes } from '../codecs/row-binary.ts';
import { SenmlColumnBatch } from '../codecs/senml/column-batch.ts';

/** A row with more is written before the next message. Together with that, it still fits the log by far. */
const bytesMax = 256 * 1024;

/**
 * Messages of one thing that came together, as one row: the store keeps records, and each message as a row of its
 * own costs the log and the store what its records cost.
 */
export class GatheredMessages {
  readonly #senml: SenmlColumnBatch;
  readonly #json: JsonColumnBatch;
  #batch: ColumnBatch | undefined;
  messages = 0;
  #bytes = 0;

  constructor(recordsMax: number, nameCharsMax: number) {
    this.#senml = new SenmlColumnBatch(recordsMax, nameCharsMax);
    this.#json = new JsonColumnBatch(recordsMax);
  }

  /** What was gathered; undefined where nothing was. Valid until `clear`. */
  get batch(): ColumnBatch | undefined {
    return this.#batch;
  }

  /** False: it does not go with what is here, or is too large. Nothing has changed then. */
  add(message: ColumnBatch): boolean {
    const batch = message.format === 'senml' ? this.#senml : this.#json;
    const bytes = rowBytes(message, '');
    if (this.#batch !== undefined && this.#batch !== batch) return false;
    if (batch.count + message.count > batch.capacity || this.#bytes + bytes > bytesMax)
      return false;
    const isAdded =
      message.format === 'senml' ? this.#senml.append(message) : this.#json.append(message);
    // Far below what a column may hold.
    if (!isAdded) throw new Error('what was gathered does not fit its columns');
    this.#batch = batch;
    this.#bytes += bytes;
    this.messages += 1;
    return true;
  }

  clear(): void {
    this.#batch?.clear();
    this.#batch = undefined;
    this.#bytes = 0;
    this.messages = 0;
  }
}
