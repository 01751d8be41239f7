import { nanosecondsOf, secondsOf } from '../../schemas/http/time.ts';
import { describeFault, findFaultInText } from '../../schemas/json/fault.ts';
import type { Shape } from '../../schemas/client/shape.ts';
import { membersOf } from '../../schemas/members.ts';

/** Wrong usage of a command: exit code 2. The message names the argument and what it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const idPattern = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-7][0-9a-hjkmnp-tv-z]{25})$/i;

export function isId(text: string): boolean {
  return idPattern.test(text);
}

/** An id of an entity. Anything else is most often a token in the place of a missing argument. */
export function parseId(name: string, text: string): string {
  if (isId(text)) return text;
  throw new UsageError(
    `${name} is not an id. Ids look like 6f9619ff-8b86-4d01-b42d-00cf4fc964ff; is an argument missing?`,
  );
}

/** A list of ids, written as JSON: `["<id>", …]`. */
export function parseIds(name: string, text: string): string[] {
  const value = parseJson(name, text);
  const ids: unknown[] = Array.isArray(value) ? value : [value];
  return ids.map((id) => {
    if (typeof id === 'string' && isId(id)) return id;
    throw new UsageError(`${name} is not a list of ids, such as '["<id>", "<id>"]'`);
  });
}

/** JSON from the command line. The server checks everything beyond its shape. */
export function parseJson(
  name: string,
  text: string,
  example = '{"name": "Wheel house"}',
): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = findFaultInText(text);
    const where = fault === undefined ? '' : `: ${describeFault(fault, {}, 'element')}`;
    throw new UsageError(
      `${name} does not hold JSON${where}. In a shell it stands in single quotes: '${example}'`,
    );
  }
}

/** A JSON object. */
export function parseObject<Type extends object>(
  name: string,
  text: string,
  shape: Shape<Type>,
): Type {
  return mustFit(name, parseJson(name, text), shape);
}

/** A JSON list; one object is a list of one, and `{"<member>": […]}` is the list in it. */
export function parseList<Type extends object>(
  name: string,
  text: string,
  shape: Shape<Type>,
  member?: string,
): Type[] {
  const value = parseJson(name, text);
  const inner: unknown = member === undefined ? undefined : membersOf(value)[member];
  const list = Array.isArray(value) ? value : Array.isArray(inner) ? inner : [value];
  return list.map((one) => mustFit(name, one, shape));
}

function mustFit<Type extends object>(name: string, value: unknown, shape: Shape<Type>): Type {
  if (shape.fits(value)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${name} is not a JSON object, such as '{"name": "Wheel house"}'`);
  }
  const missing = shape.members.filter((member) => !(member in value));
  throw new UsageError(`${name} lacks ${missing.join(' and ')}`);
}

export function parseKeyType(text: string): 'internal' | 'external' {
  if (text === 'internal' || text === 'external') return text;
  throw new UsageError('the key type is internal (the key made with a thing) or external');
}

/** Whole seconds, or a duration such as `10h`, `1h30m` or `30d`. */
export function parseDuration(name: string, text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsOf(text);
  if (seconds !== undefined) return Math.round(seconds);
  throw new UsageError(`${name} is neither seconds (3600) nor a duration (10h, 1h30m, 30d)`);
}

/** A time as integer nanoseconds, in a string: a JavaScript number would lose digits. A date begins in `tz`. */
export function parseTime(name: string, text: string, tz?: string): string {
  const time = nanosecondsOf(name, text, { nowMs: Date.now(), tz });
  if (typeof time === 'bigint') return String(time);
  throw new UsageError(time);
}
