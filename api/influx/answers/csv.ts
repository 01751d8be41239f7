import { neutralized } from '../../../schemas/csv.ts';
import type { AnswerStyle, Result, Row, SeriesHead } from './result.ts';
import { statementError } from './statement-error.ts';
import { timeText } from './times.ts';

/**
 * An answer as InfluxDB's CSV: for each statement that has rows a line of names and its rows, with an empty line between
 * statements. Times without `epoch` are nanoseconds. Text that a spreadsheet would run as a formula has a quote before it,
 * as in exports.
 */
export async function* csvAnswer(
  results: AsyncIterable<Result>,
  { epoch }: AnswerStyle,
): AsyncGenerator<string> {
  const unit = epoch === '' ? 'ns' : epoch;
  let isFirst = true;
  for await (const { batches } of results) {
    let open: SeriesHead | undefined;
    let labels = '';
    try {
      for await (const rows of batches) {
        const texts: string[] = [];
        for (const row of rows) {
          if (open === undefined) {
            texts.push(`${isFirst ? '' : '\n'}${line(['name', 'tags', ...row.series.columns])}`);
            isFirst = false;
          }
          if (row.series !== open) labels = labelsOf(row.series);
          open = row.series;
          texts.push(`${labels},${cells(row, unit)}\n`);
        }
        yield texts.join('');
      }
    } catch (problem) {
      yield `${isFirst ? '' : '\n'}error\n${cell(statementError(problem))}\n`;
      isFirst = false;
    }
  }
}

function labelsOf({ name = '', tags }: SeriesHead): string {
  const sorted = tags.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `${cell(name)},${cell(sorted.map(([key, value]) => `${key}=${value}`).join(','))}`;
}

function cells({ time, values }: Row, unit: string): string {
  const parsed: unknown = JSON.parse(values);
  const all = [parsed]
    .flat()
    .map((value: unknown) => (typeof value === 'string' ? cell(value) : plainCell(value)));
  return (time === undefined ? all : [timeText(time, unit), ...all]).join(',');
}

/** A number, a boolean or null. */
const plainCell = (value: unknown) => (value === null ? '' : JSON.stringify(value));

const line = (texts: readonly string[]) => `${texts.map(cell).join(',')}\n`;

function cell(text: string): string {
  const harmless = neutralized(text);
  return /[",\r\n]|^ /.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
