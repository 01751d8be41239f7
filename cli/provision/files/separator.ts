import { type Separator, separatorIn } from '../../../schemas/csv-separator.ts';

/** A first line is looked for in so many characters. */
const firstLineCharsMax = 64 * 1024;

/** A CSV file, without the line `sep=;` that Excel puts before it. */
type Separated = {
  separator: Separator;
  /** Lines before the first record that was kept: 1 after a `sep=` line. */
  linesBefore: number;
  chunks: AsyncGenerator<string>;
};

/** Finds the separator by the `sep=` line, or as the one that the first line has most of outside quotes. */
export async function separate(chunks: AsyncGenerator<string>): Promise<Separated> {
  let begin = '';
  while (begin.length < firstLineCharsMax && !/[\r\n]/.test(begin)) {
    const next = await chunks.next();
    if (next.done === true) break;
    begin += next.value;
  }
  const { separator, said } = separatorIn(begin);
  return {
    separator,
    linesBefore: said === '' ? 0 : 1,
    chunks: joined(begin.slice(said.length), chunks),
  };
}

async function* joined(begin: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield begin;
  yield* rest;
}
