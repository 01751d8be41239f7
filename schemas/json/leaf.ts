/** A value that is drawn: a number as a point of a line, a text or a boolean as a state. */
export type Value = number | string | boolean;

export const isValue = (value: unknown): value is Value =>
  typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';

/** The value at a dotted path; a member may have dots in its own name. */
export function leafAt(payload: unknown, path: string): Value | null {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null;
  if (Object.hasOwn(payload, path)) {
    const value: unknown = Reflect.get(payload, path);
    return isValue(value) ? value : null;
  }
  const parts = path.split('.');
  for (let length = parts.length - 1; length > 0; length--) {
    const name = parts.slice(0, length).join('.');
    if (!Object.hasOwn(payload, name)) continue;
    const found = leafAt(Reflect.get(payload, name), parts.slice(length).join('.'));
    if (found !== null) return found;
  }
  return null;
}
