/** Degrees to the north and to the east. */
export type Coordinates = { latitude: number; longitude: number };

/** The names that a pair of coordinates has, in metadata and in records. */
export const coordinateNames = [
  ['latitude', 'longitude'],
  ['lat', 'lon'],
  ['lat', 'lng'],
] as const;

/** The coordinates among named values; undefined where there are none, or none of this world. */
export function coordinatesOf(values: Readonly<Record<string, unknown>>): Coordinates | undefined {
  for (const [north, east] of coordinateNames) {
    const [latitude, longitude] = [degreesIn(values, north), degreesIn(values, east)];
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) return { latitude, longitude };
  }
  return undefined;
}

/** NaN where there are none. Who types metadata may have written a text. */
function degreesIn(values: Readonly<Record<string, unknown>>, name: string): number {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}
