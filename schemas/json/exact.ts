/*
 * A double has 53 bits, and a time in nanoseconds needs 61. So a number that `JSON.parse` would change is kept as text,
 * and written as the same text.
 */

/** A number that JavaScript cannot represent, as its digits. */
type ExactNumber = { readonly rawJSON: string };

/** A value whose numbers may be such. */
export type Exact<Value> = Value extends number
  ? number | ExactNumber
  : Value extends object
    ? { [Name in keyof Value]: Exact<Value[Name]> }
    : Value;

declare global {
  // Part of the language (JSON.parse source text access), but not of TypeScript's declarations yet.
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

/** Reads JSON without losing a digit, where the engine knows how. */
export function parseExactly(text: string): unknown {
  // The third parameter is the source text. TypeScript does not declare it yet.
  return JSON.parse(text, (_key, value: unknown, ...[context]: { source: string }[]) => {
    if (typeof value !== 'number' || context === undefined) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  });
}

/** The nearest number of JavaScript's. */
export const numberOf = (value: number | ExactNumber): number =>
  typeof value === 'number' ? value : Number(value.rawJSON);
