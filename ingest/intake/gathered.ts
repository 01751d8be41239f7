import { JsonColumnBatch } from '../codecs/json/column-batch.ts';
import { rowBytes } from '../codecs/row-binary.ts';
import { SenmlColumnBatch } from '../codecs/senml/column-batch.ts';
import { ReadMessages } from './read-messages.ts';

/** A row with more is written before the next message. Together with that, it still fits the log by far. */
const bytesMax = 256 * 1024;

/**
 * Messages of one thing that came together, as one row: the store keeps records, and each message as a row of its
 * own costs the log and the store what its records cost.
 */
export class GatheredMessages {
  /** All of them. Its `batch` is undefined where nothing was gathered. */
  readonly all = new ReadMessages();
  readonly #senml: SenmlColumnBatch;
  readonly #json: JsonColumnBatch;
  #bytes = 0;

  constructor(recordsMax: number, nameCharsMax: number) {
    this.#senml = new SenmlColumnBatch(recordsMax, nameCharsMax);
    this.#json = new JsonColumnBatch(recordsMax);
    this.clear();
  }

  /**
   * Takes a message that is only for the store. False: it does not go with those that are here, or is too large, or somebody
   * waits for what becomes of it. Nothing has changed then.
   */
  add(read: ReadMessages): boolean {
    const { batch: message, publisher, protocol, subtopic, records, meter, forAlarms } = read;
    if (message === undefined || read.onOutcome !== undefined) return false;
    const { all } = this;
    const batch = message.format === 'senml' ? this.#senml : this.#json;
    const bytes = rowBytes(message, '');
    if (all.batch !== undefined && all.batch !== batch) return false;
    if (batch.count + message.count > batch.capacity || this.#bytes + bytes > bytesMax)
      return false;
    const isAdded =
      message.format === 'senml' ? this.#senml.append(message) : this.#json.append(message);
    // Far below what a column may hold.
    if (!isAdded) throw new Error('messages that were gathered do not fit their columns');
    all.batch = batch;
    all.publisher = publisher;
    all.protocol = protocol;
    all.subtopic = subtopic;
    all.meter = meter;
    all.forAlarms = forAlarms && { ...forAlarms, batch };
    all.records += records;
    all.messages += 1;
    this.#bytes += bytes;
    return true;
  }

  clear(): void {
    const { all } = this;
    all.batch?.clear();
    all.batch = undefined;
    all.forAlarms = undefined;
    all.records = 0;
    all.messages = 0;
    this.#bytes = 0;
  }
}
