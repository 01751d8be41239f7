import { shown } from '../../../schemas/json/shown.ts';

/** An object or array that is open; `keys` only of an object. */
type Level = { keys: Set<string> | undefined; item: number; expectsKey: boolean };

/**
 * Finds where an object in `text` (valid JSON) has a member twice: `record 3: "v": is given twice`.
 * Slow, so only for texts that are known to have one.
 */
export function findDuplicateMember(text: string): string {
  const levels: Level[] = [];
  for (let i = 0; i < text.length; i++) {
    const level = levels.at(-1);
    switch (text[i] ?? '') {
      case '{':
        levels.push({ keys: new Set(), item: 0, expectsKey: true });
        break;
      case '[':
        levels.push({ keys: undefined, item: 0, expectsKey: false });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level !== undefined) {
          level.item += 1;
          level.expectsKey = level.keys !== undefined;
        }
        break;
      case '"': {
        const start = i;
        for (i += 1; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i += 1;
        if (level?.keys === undefined || !level.expectsKey) break;
        level.expectsKey = false;
        const key = String(JSON.parse(text.slice(start, i + 1)));
        if (level.keys.has(key)) return `${place(levels)}: ${shown(key)}: is given twice`;
        level.keys.add(key);
        break;
      }
      default:
    }
  }
  return 'body: a member is given twice';
}

function place(levels: readonly Level[]): string {
  const outermost = levels[0];
  const isList = outermost !== undefined && outermost.keys === undefined;
  return isList ? `record ${outermost.item}` : 'body';
}
