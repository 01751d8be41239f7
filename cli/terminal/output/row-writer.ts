import { csvLine, csvRow } from './csv.ts';
import { stringify } from './stringify.ts';
import type { Output } from './output.ts';
import type { Row } from './rows.ts';

/** Writes any number of rows as they arrive. `columns` are those of CSV. */
export class RowWriter {
  readonly #output: Output;
  readonly #columns: readonly string[];
  #count = 0;

  constructor(output: Output, columns: readonly string[]) {
    this.#output = output;
    this.#columns = columns;
  }

  async write(row: Row): Promise<void> {
    const { format } = this.#output;
    const isFirst = this.#count++ === 0;
    if (format === 'json') {
      await this.#output.write(`${isFirst ? '[\n' : ',\n'}${stringify(row)}`);
    } else if (format === 'csv') {
      await this.#output.write(
        `${isFirst ? csvLine(this.#columns) : ''}${csvRow(row, this.#columns)}`,
      );
    } else {
      await this.#output.write(`${stringify(row)}\n`);
    }
  }

  async end(): Promise<void> {
    if (this.#output.format !== 'json') return;
    await this.#output.write(this.#count === 0 ? '[]\n' : '\n]\n');
  }
}
