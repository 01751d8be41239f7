export type Path = readonly (string | number)[];

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Every place in a value where something stands, containers included, the whole excluded. */
export function placesIn(value: unknown, path: Path = []): Path[] {
  if (!isContainer(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name];
    return [here, ...placesIn(inner, here)];
  });
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => Object(inner)[name], value);
}

const marker = '@@hostile@@';

/** The JSON text of a body in which other JSON text stands at one place. */
export function withTextAt(body: unknown, path: Path, text: string): string {
  return JSON.stringify(replaced(body, path)).replace(JSON.stringify(marker), () => text);
}

function replaced(value: unknown, path: Path): unknown {
  const [name, ...rest] = path;
  if (name === undefined || !isContainer(value)) return marker;
  const inner = replaced(valueAt(value, [name]), rest);
  return Array.isArray(value)
    ? value.map((one: unknown, i) => (i === name ? inner : one))
    : { ...value, [name]: inner };
}

/** The body with more members in each of its objects; what it has itself stands. */
export function withMembers(body: unknown, members: Record<string, unknown>): unknown {
  if (Array.isArray(body)) return body.map((one) => withMembers(one, members));
  if (!isContainer(body)) return body;
  const own = Object.entries(body).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? withMembers(value, members) : value,
  ]);
  return { ...members, ...Object.fromEntries(own) };
}
