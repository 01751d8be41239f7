import { stringify } from './stringify.ts';

/** A value as text; objects and lists as JSON. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return stringify(value);
}

/** Text without line breaks and control characters of terminals. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return known ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const narrowed = /^(?:\p{M}|\p{Cf})$/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (narrowed.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** The text in exactly so many columns; an ellipsis replaces what does not fit. */
export function fit(text: string, width: number): string {
  const full = widthOf(text);
  if (full <= width) return text + ' '.repeat(width - full);
  let cut = '';
  let used = 0;
  for (const character of text) {
    const next = widthOf(character);
    if (used + next > width - 1) break;
    cut += character;
    used += next;
  }
  return `${cut}…${' '.repeat(Math.max(0, width - 1 - used))}`;
}
