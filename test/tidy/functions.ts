import { read } from './sources.ts';

const begins = /(?:=>|\)(?:: [^=]+)?) \{$/;
const noFunction = /^\s*(?:if|for|while|switch|\} else|catch|\} catch)\b/;
/** A function that is longer than it may be. */
type LongFunction = { path: string; name: string; lines: number };

/**
 * Functions of more than so many lines. The formatter puts a function's last brace under the beginning of its first
 * line: so it is found without a parser.
 */
export function longFunctions(paths: readonly string[], linesMax: number): LongFunction[] {
  return paths.flatMap((path) => {
    const all = read(path).split('\n');
    return all.flatMap((line, first) => {
      if (!begins.test(line) || noFunction.test(line)) return [];
      const indent = line.slice(0, line.search(/\S/));
      const length = all.slice(first + 1).findIndex((later) => later.startsWith(`${indent}}`)) + 2;
      if (length <= linesMax) return [];
      return [{ path, name: nameBefore(all, first), lines: length }];
    });
  });
}

/** The name stands in the first line, or in that of the same indent which opened the parameters. */
function nameBefore(all: readonly string[], first: number): string {
  const indent = (all[first] ?? '').search(/\S/);
  for (let at = first; at >= 0; at--) {
    const line = all[at] ?? '';
    if (line.search(/\S/) !== indent || /^\s*[)}]/.test(line)) continue;
    const words = line
      .trim()
      .replace(/^(?:export |default |async |function\*? |const |static )+/, '');
    return /^[#\w$]+/.exec(words)?.[0] ?? `line ${first + 1}`;
  }
  return `line ${first + 1}`;
}
