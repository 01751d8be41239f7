/*
 * A double holds 53 bits, and a time in nanoseconds needs 61: a number that would come out of
 * `JSON.parse` as another one is kept as it was written, and written as it was kept.
 */

/** A number that JavaScript has no value for, in its own digits. */
type ExactNumber = { readonly rawJSON: string };

declare global {
  // Part of the language (source text access for JSON), and not yet of TypeScript's own declarations.
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

/** Reads JSON without losing a digit. */
export function parseExactly(text: string): unknown {
  // The third parameter is the source text, which TypeScript does not know of yet.
  return JSON.parse(text, (_key, value: unknown, ...[context]: { source: string }[]) => {
    if (typeof value !== 'number' || context === undefined) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  });
}

/** Writes JSON; what could steer a terminal is escaped. */
export function stringify(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
