/** The separators of cells, as spreadsheets of different countries write them. */
const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

/**
 * The separator of a CSV file that begins like this, without a byte order mark: by the line `sep=;` that Excel puts before
 * it, or the one that the first line has most of outside quotes. `said` is that line of Excel's, which is no record, or ''.
 */
export function separatorIn(begin: string): { separator: Separator; said: string } {
  const [said = '', named] = /^sep=(.)(?:\r\n|\r|\n|$)/i.exec(begin) ?? [];
  const found = separators.find((one) => one === named);
  if (found !== undefined) return { separator: found, said };
  const [first = ''] = begin.replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1);
  const countOf = (one: string) => first.split(one).length;
  const [most = ','] = separators.toSorted((one, other) => countOf(other) - countOf(one));
  return { separator: most, said: '' };
}
