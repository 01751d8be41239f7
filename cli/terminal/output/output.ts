import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { OutputFormat } from '../../input/flags.ts';
import { UsageError } from '../../input/usage.ts';
import { cell } from './cell.ts';
import { columnsOfLists } from './columns.ts';
import { csvLine, csvRow } from './csv.ts';
import { stringify } from './stringify.ts';
import { columnsOf, type Row, rowsOf } from './rows.ts';
import { layOut, layOutOne } from './table.ts';
import { membersOf } from '../../../schemas/members.ts';

/** Standard output or standard error. */
export type Terminal = Writable & { isTTY?: boolean; columns?: number };

/** A part of what people read: whole lines, or a table. */
export type Section = { title: string } & (
  | { lines: readonly string[]; rows?: never }
  | { lines?: never; rows: Row[] }
);

/** The output of commands. Data goes to standard output; nothing else does. */
export class Output {
  readonly stdout: Terminal;
  /** As `-o` says; tables on a terminal, JSON elsewhere. */
  readonly format: OutputFormat;
  readonly #isChosen: boolean;
  readonly #raw: boolean;
  readonly #print: string | undefined;

  constructor(
    stdout: Terminal,
    chosen: { output: OutputFormat | undefined; raw: boolean; print?: string | undefined },
  ) {
    this.stdout = stdout;
    this.#print = chosen.print;
    this.#raw = chosen.raw;
    this.#isChosen = chosen.output !== undefined;
    this.format = chosen.output ?? (stdout.isTTY === true && !chosen.raw ? 'table' : 'json');
  }

  /** A response of the server. @throws UsageError if it has no member that `--print` names. */
  async show(value: unknown): Promise<void> {
    const list = rowsOf(value);
    if (this.#print !== undefined) {
      await this.#printMember(list?.rows ?? [membersOf(value)], this.#print);
      return;
    }
    switch (this.format) {
      case 'json':
        await this.write(`${stringify(value, this.#raw ? undefined : 2)}\n`);
        return;
      case 'ndjson':
        for (const row of list?.rows ?? [value]) await this.write(`${stringify(row)}\n`);
        return;
      case 'csv': {
        const rows = list?.rows ?? [membersOf(value)];
        const columns = columnsOf(rows);
        if (columns.length > 0) await this.write(csvLine(columns));
        for (const row of rows) await this.write(csvRow(row, columns));
        return;
      }
      case 'table':
        await this.write(
          list === undefined
            ? `${layOutOne(membersOf(value)).join('\n')}\n`
            : this.#table(list.rows, list.total, columnsOfLists[list.of]),
        );
        return;
    }
  }

  /** The ids of created entities, as the platform's client prints them: `created: <id>`, or with `--raw` the id alone. */
  async created(ids: readonly string[], value?: unknown): Promise<void> {
    if (this.#print !== undefined) {
      await this.show(value ?? ids.map((id) => ({ id })));
    } else if (this.#raw) {
      await this.write(ids.map((id) => `${id}\n`).join(''));
    } else if (value !== undefined) {
      await this.show(value);
    } else if (this.#isChosen) {
      await this.show(ids.length === 1 ? { id: ids[0] } : ids.map((id) => ({ id })));
    } else {
      await this.write(ids.map((id) => `created: ${id}\n`).join(''));
    }
  }

  /** The success of a command without output. */
  async ok(): Promise<void> {
    if (this.#isChosen) await this.show({ status: 'ok' });
    else await this.write('ok\n');
  }

  /** Resolves once there is room for more. */
  async write(text: string | Uint8Array): Promise<void> {
    if (!this.stdout.write(text)) await once(this.stdout, 'drain');
  }

  async #printMember(rows: readonly Row[], member: string): Promise<void> {
    const has = columnsOf(rows);
    if (rows.length > 0 && !has.includes(member)) {
      throw new UsageError(`--print ${member}: the answer has ${has.join(', ')}`);
    }
    await this.write(rows.map((row) => `${cell(row[member])}\n`).join(''));
  }

  /** A terminal that does not tell its width has 80 characters; a pipe has room for all. */
  get #width(): number {
    return this.stdout.isTTY === true ? this.stdout.columns || 80 : Number.MAX_SAFE_INTEGER;
  }

  /** For people: lines or tables, one after another, each with a title. */
  async sections(all: readonly Section[]): Promise<void> {
    for (const { title, lines, rows } of all) {
      const under =
        lines === undefined
          ? this.#table(rows, undefined, columnsOf(rows))
          : `${lines.join('\n')}\n`;
      await this.write(`${this.#style('bold', title)}\n${under}\n`);
    }
  }

  #table(rows: Row[], total: number | undefined, wanted?: readonly string[]): string {
    const { header, lines, leftOut } = layOut(rows, this.#width, wanted);
    const notes = [
      total === undefined || total === rows.length ? undefined : `${rows.length} of ${total}`,
      leftOut.length === 0 ? undefined : `no room for ${leftOut.join(', ')} (-o json shows all)`,
    ].filter((note) => note !== undefined);
    return [
      ...(rows.length === 0 ? ['none'] : [this.#style('bold', header), ...lines]),
      ...(notes.length === 0 ? [] : [this.#style('dim', notes.join('; '))]),
      '',
    ].join('\n');
  }

  #style(how: 'bold' | 'dim', text: string): string {
    return styled(how, text, this.stdout);
  }
}

/** Styled on a terminal with styles, unless `NO_COLOR` forbids it. */
export function styled(how: 'bold' | 'dim' | 'red', text: string, stream: Terminal): string {
  return stream.isTTY === true ? styleText(how, text, { stream }) : text;
}
