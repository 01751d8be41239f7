import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { mercator } from './page/map/projection.ts';

/*
 * The outlines of countries for the map: Natural Earth's, by the package world-atlas, made small. They are TopoJSON: lines that
 * two countries share stand in it once, as whole steps on a grid (https://github.com/topojson/topojson-specification).
 */

const Rings = Type.Array(Type.Array(Type.Integer()));
const Topology = Type.Object({
  transform: Type.Object({
    scale: Type.Tuple([Type.Number(), Type.Number()]),
    translate: Type.Tuple([Type.Number(), Type.Number()]),
  }),
  arcs: Type.Array(Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]))),
  objects: Type.Object({
    land: Type.Object({
      geometries: Type.Array(Type.Object({ arcs: Type.Array(Rings) })),
    }),
  }),
});

/** As SVG paths in tenths of the units of the projection: a pixel or less wherever a whole country is seen. */
type Outlines = { land: string; borders: string };

type Point = readonly [x: number, y: number];

/** Steps in whole tenths take the fewest letters. */
function pathOf([first = [0, 0], ...rest]: readonly Point[]): string {
  let [x, y] = first;
  const steps = rest.flatMap(([nextX, nextY]) => {
    const step = `${nextX - x} ${nextY - y}`;
    [x, y] = [nextX, nextY];
    return step === '0 0' ? [] : [step];
  });
  if (steps.length === 0) return '';
  return `M${first[0]} ${first[1]}l${steps.join(' ').replaceAll(' -', '-')}`;
}

export function readOutlines(): Outlines {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-110m.json');
  const topology = Value.Parse(Topology, JSON.parse(readFileSync(file, 'utf8')));
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((steps) => {
    let [column, row] = [0, 0];
    return steps.map(([right, up]): Point => {
      column += right;
      row += up;
      const place = mercator(row * scale[1] + translate[1], column * scale[0] + translate[0]);
      return [Math.round(place.x * 10), Math.round(place.y * 10)];
    });
  });
  // A negative number is the other way round along the arc of its complement.
  const along = (at: number) => (at < 0 ? (arcs[~at] ?? []).toReversed() : (arcs[at] ?? []));
  const rings = topology.objects.land.geometries.flatMap((shape) => shape.arcs.flat());
  const ofLand = new Set(rings.flat().map((at) => (at < 0 ? ~at : at)));
  return {
    land: rings
      .map((ring) => pathOf(ring.flatMap(along)))
      .filter((path) => path !== '')
      .join('Z'),
    // A line that is no coast lies between two countries.
    borders: arcs.map((arc, at) => (ofLand.has(at) ? '' : pathOf(arc))).join(''),
  };
}
