/* What texts of several pages are made with. */

export const number = new Intl.NumberFormat('en');
export const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
export const month = new Intl.DateTimeFormat('en', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** One thing, or several, with their number. */
export const count = (value: number, one: string, several: string) =>
  `${number.format(value)} ${value === 1 ? one : several}`;

const durations = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Seconds in their two largest units: `3 h 20 min`. */
export function lasting(seconds: number): string {
  const parts: string[] = [];
  let left = Math.round(seconds);
  for (const [unit, size] of durations) {
    const units = Math.floor(left / size);
    if (units > 0) parts.push(`${number.format(units)} ${unit}`);
    else if (parts.length > 0) break;
    left -= units * size;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}
