/*
 * A double has 53 bits, and a time in nanoseconds needs 61. So a number that `JSON.parse` would change is kept as text,
 * and written as the same text.
 */

/** A number that JavaScript cannot represent, as its digits. */
type ExactNumber = { readonly rawJSON: string };

declare global {
  // Part of the language (JSON.parse source text access), but not of TypeScript's declarations yet.
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

/** Reads JSON without losing a digit. */
export function parseExactly(text: string): unknown {
  // The third parameter is the source text. TypeScript does not declare it yet.
  return JSON.parse(text, (_key, value: unknown, ...[context]: { source: string }[]) => {
    if (typeof value !== 'number' || context === undefined) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  });
}

/** Writes JSON; control characters of terminals are escaped. */
export function stringify(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
