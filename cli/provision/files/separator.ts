/** The separators of cells, as spreadsheets of different countries write them. */
const separators = [',', ';', '\t'] as const;
type Separator = (typeof separators)[number];

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
  const [said, named] = /^sep=(.)(?:\r\n|\r|\n|$)/i.exec(begin) ?? [];
  const found = separators.find((one) => one === named);
  if (said !== undefined && found !== undefined) {
    return { separator: found, linesBefore: 1, chunks: joined(begin.slice(said.length), chunks) };
  }
  const [first = ''] = begin.replace(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1);
  const countOf = (one: string) => first.split(one).length;
  const [separator] = separators.toSorted((one, other) => countOf(other) - countOf(one));
  return { separator: separator ?? ',', linesBefore: 0, chunks: joined(begin, chunks) };
}

async function* joined(begin: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield begin;
  yield* rest;
}
