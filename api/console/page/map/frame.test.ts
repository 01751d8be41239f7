import { expect, it } from 'vitest';
import { clustersOf, draggedFrame, frameOf, pixelsOf, zoomedFrame } from './frame.ts';
import { mercator } from './projection.ts';

const size = { width: 600, height: 300 };
const graz = mercator(47.07, 15.44);
const sydney = mercator(-33.87, 151.21);

it('a map shows all spots, and some of the country around a lone one', () => {
  const both = frameOf([graz, sydney], size);
  for (const spot of [graz, sydney]) {
    const { x, y } = pixelsOf(spot, both, size);
    expect(x > 0 && x < size.width && y > 0 && y < size.height).toBe(true);
  }
  const lone = frameOf([graz], size);
  expect(pixelsOf(graz, lone, size)).toEqual({ x: 300, y: 150 });
  expect(size.height / lone.scale).toBeCloseTo(12);
  expect(frameOf([], size).scale).toBeCloseTo(600 / 360);
});

it('zooming keeps what is under the pointer, and dragging moves with it', () => {
  const frame = frameOf([graz], size);
  const before = pixelsOf(sydney, frame, size);
  const pointer = { x: before.x - 300, y: before.y - 150 };
  const after = pixelsOf(sydney, zoomedFrame(frame, 2, size, pointer), size);
  expect([after.x, after.y]).toEqual([expect.closeTo(before.x), expect.closeTo(before.y)]);
  const dragged = pixelsOf(graz, draggedFrame(frame, 30, -20), size);
  expect([dragged.x, dragged.y]).toEqual([expect.closeTo(330), expect.closeTo(130)]);
});

it('spots that would cover each other are one, until one is near enough', () => {
  const all = [graz, mercator(47.08, 15.45), mercator(48.3, 14.28)].map((spot) => ({ spot }));
  const counts = (frame: ReturnType<typeof frameOf>) =>
    clustersOf(all, frame, size, 20).map(({ members }) => members.length);
  const frame = frameOf(
    all.map(({ spot }) => spot),
    size,
  );
  expect(counts(frame)).toEqual([2, 1]);
  expect(counts(zoomedFrame(frame, 1_000, size))).toEqual([1, 1, 1]);
});
