import type { Line } from '../chart/chart.tsx';

/** A text that a spreadsheet would take for a formula begins with an apostrophe, which makes it a text. */
const plain = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function valueCell(value: Line['values'][number]): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? cell(plain(value)) : String(value);
}

/** By this mark spreadsheets know that it is UTF-8. */
const mark = '\uFEFF';

/**
 * The values of a chart as CSV: a column of times, and one for each line that is shown. A time is of the zone, with its
 * difference from UTC.
 */
export function wideFile(
  times: readonly number[],
  lines: readonly Line[],
  written: (time: number) => string,
): string {
  const shown = lines.filter(({ isHidden }) => isHidden !== true);
  const heads = shown.map(({ label, unit }) =>
    cell(plain(unit === '' ? label : `${label} (${unit})`)),
  );
  const rows = times.flatMap((time, at) => {
    const cells = shown.map(({ values }) => valueCell(values[at]));
    return cells.every((text) => text === '') ? [] : [[written(time), ...cells].join(',')];
  });
  return `${mark}${[['time', ...heads].join(','), ...rows].join('\r\n')}\r\n`;
}

const partChars = 60;
const part = (text: string) =>
  text
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, partChars);

/** The name of a file: what is in it, from when to when. */
export function fileNameOf(
  labels: readonly string[],
  ends: { from: string; to: string },
  type: 'csv' | 'png',
): string {
  const [first = 'explore'] = labels;
  const what = labels.length > 1 ? `${part(first)}-and-${labels.length - 1}-more` : part(first);
  const minute = (text: string) => text.slice(0, 16).replaceAll(':', '').replace('T', '-');
  return `${what || 'explore'}_${minute(ends.from)}_${minute(ends.to)}.${type}`;
}
