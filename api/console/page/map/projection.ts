/** A point of the map: degrees to the east, and to the south as the projection of Mercator draws them. Shapes stay as they are. */
export type Spot = { x: number; y: number };

/** Further north and south the map would have no end. */
const latitudeMax = 84;
const degree = Math.PI / 180;

export function mercator(latitude: number, longitude: number): Spot {
  const bound = Math.max(-latitudeMax, Math.min(latitudeMax, latitude));
  return { x: longitude, y: -Math.log(Math.tan(Math.PI / 4 + (bound * degree) / 2)) / degree };
}
