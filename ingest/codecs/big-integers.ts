import { randomBytes } from 'node:crypto';

/**
 * Integers beyond 2^53 on their way through parsed JSON. `JSON.parse` would round them, and its reviver
 * takes a second for a body of them; so they are strings on the way, with a mark that no client can guess.
 */
const mark = `int-${randomBytes(12).toString('hex')}:`;

/** Digits from which an integer may be beyond 2^53. */
const digitsMin = 16;

/** Parses JSON known to be valid, every such integer as a marked string. */
export function parseKeepingIntegers(text: string): unknown {
  let marked = '';
  let kept = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x22) {
      for (i += 1; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i += 1;
    } else if (char === 0x2d || isDigit(char)) {
      const start = i;
      while (isNumberPart(text.charCodeAt(i + 1))) i += 1;
      const token = text.slice(start, i + 1);
      if (token.length >= digitsMin && /^-?\d+$/.test(token)) {
        marked += `${text.slice(kept, start)}"${mark}${token}"`;
        kept = i + 1;
      }
    }
  }
  return JSON.parse(marked + text.slice(kept));
}

/** Undoes the marks in JSON text. */
export function restoreIntegers(text: string): string {
  return text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** The digits of a marked integer; any other text as it is. */
export function integerText(value: string): string {
  return value.startsWith(mark) ? value.slice(mark.length) : value;
}

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

/** Digits, sign, point and exponent. */
const isNumberPart = (char: number): boolean =>
  isDigit(char) || char === 0x2b || char === 0x2d || char === 0x2e || (char | 0x20) === 0x65;
