import type { AnswerStyle, Result, Row, SeriesHead } from './result.ts';
import { statementError } from './statement-error.ts';
import { timeText } from './times.ts';

/** An answer as InfluxDB's JSON, in pieces of text: whole, or a line for each part. */
export function jsonAnswer(
  results: AsyncIterable<Result>,
  { epoch, chunkRows }: AnswerStyle,
): AsyncGenerator<string> {
  return chunkRows === undefined ? whole(results, epoch) : inChunks(results, epoch, chunkRows);
}

async function* whole(results: AsyncIterable<Result>, epoch: string): AsyncGenerator<string> {
  let isFirst = true;
  for await (const { statement, batches } of results) {
    yield `${isFirst ? '{"results":[' : ','}{"statement_id":${statement}`;
    isFirst = false;
    let open: SeriesHead | undefined;
    let [error, end] = ['', ']}]'];
    try {
      for await (const rows of batches) {
        const texts: string[] = [];
        for (const row of rows) {
          if (row.isCut === true) end = '],"partial":true}]';
          if (row.series === open) texts.push(`,${rowText(row, epoch)}`);
          else {
            const before = open === undefined ? ',"series":[' : ']},';
            texts.push(`${before}${headText(row.series)},"values":[${rowText(row, epoch)}`);
            open = row.series;
          }
        }
        yield texts.join('');
      }
    } catch (problem) {
      error = `,"error":${JSON.stringify(statementError(problem))}`;
    }
    yield `${open === undefined ? '' : end}${error}}`;
  }
  yield `${isFirst ? '{"results":[' : ''}]}\n`;
}

/** A part has rows of one series. `partial` of it says that the series goes on, that of the result that any does. */
async function* inChunks(
  results: AsyncIterable<Result>,
  epoch: string,
  rowsMax: number,
): AsyncGenerator<string> {
  for await (const { statement, batches } of results) {
    const part = (series: string, more: string) =>
      `{"results":[{"statement_id":${statement}${series}${more}}]}\n`;
    const seriesOf = (head: SeriesHead, texts: readonly string[], isPart: boolean) =>
      `,"series":[${headText(head)},"values":[${texts.join(',')}]${isPart ? ',"partial":true' : ''}}]`;
    let open: SeriesHead | undefined;
    let texts: string[] = [];
    let [error, isCut] = ['', false];
    try {
      for await (const rows of batches) {
        for (const row of rows) {
          const isSame = row.series === open;
          if (open !== undefined && (!isSame || texts.length === rowsMax)) {
            yield part(seriesOf(open, texts, isSame), ',"partial":true');
            texts = [];
          }
          open = row.series;
          isCut = row.isCut === true;
          texts.push(rowText(row, epoch));
        }
      }
    } catch (problem) {
      error = `,"error":${JSON.stringify(statementError(problem))}`;
    }
    yield part(open === undefined ? '' : seriesOf(open, texts, isCut), error);
  }
}

function headText({ name, tags, columns }: SeriesHead): string {
  const members = [
    ...(name === undefined ? [] : [`"name":${JSON.stringify(name)}`]),
    ...(tags.length === 0 ? [] : [`"tags":${JSON.stringify(Object.fromEntries(tags))}`]),
    `"columns":${JSON.stringify(columns)}`,
  ];
  return `{${members.join(',')}`;
}

function rowText({ series, time, values }: Row, epoch: string): string {
  if (time === undefined) return values;
  const text = timeText(time, epoch, series.zone);
  const written = epoch === '' ? `"${text}"` : text;
  return values === '[]' ? `[${written}]` : `[${written},${values.slice(1)}`;
}
