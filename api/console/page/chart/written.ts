import { numberWriter } from '../ui/number.ts';

const writeNumber = numberWriter(6);

/** A number without an exponent, which ARIA does not know. */
export const digitsOf = (value: number): string =>
  value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });

/** A value as people read it. */
export function written(value: number | string | boolean | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'number' ? writeNumber(value) : String(value);
}
