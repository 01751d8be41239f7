/*
 * A text that a spreadsheet would take for a formula gets a single quote before it, and so does one that already
 * begins with such a quote and a formula: removing the first quote of each gives back what was sent.
 */

/** Spreadsheets run what begins with these, some of them after they made wide, small and raised signs plain ones. */
const plain = '=+-@\t\r\n';
const wide = '＝＋－＠';
const others = '﹦﹢﹣﹫⁼⁺⁻₌₊₋−⩵⩶﬩';

/** The characters that a formula may begin with. */
export const formulaStarts: readonly string[] = Array.from(plain + wide + others);

const hexOf = (char: string) => (char.codePointAt(0) ?? 0).toString(16);

/** Patterns of texts that begin like a formula, for RE2 and for JavaScript (with `u`). */
export const formulaPatterns = {
  re2: `^'*[${formulaStarts.map((char) => `\\x{${hexOf(char)}}`).join('')}]`,
  javascript: `^'*[${formulaStarts.map((char) => `\\u{${hexOf(char)}}`).join('')}]`,
};

const formula = new RegExp(formulaPatterns.javascript, 'u');

/** A text of a CSV's cell that no spreadsheet runs. */
export function neutralized(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** The begin of a CSV that Excel reads as UTF-8: with a byte order mark. */
export function markedUtf8(head: string): string {
  return `\uFEFF${head}`;
}
