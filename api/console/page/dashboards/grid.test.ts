import { describe, expect, it } from 'vitest';
import { bottom, inOrder, placed, removed, stepped } from './grid.ts';

const one = (id: string, x: number, y: number, w = 6, h = 4) => ({ id, x, y, w, h });
const placesOf = (panels: readonly ReturnType<typeof one>[]) =>
  Object.fromEntries(panels.map(({ id, x, y, w, h }) => [id, [x, y, w, h]]));

describe('a panel that is moved', () => {
  const panels = [one('a', 0, 0), one('b', 6, 0), one('c', 0, 4)];

  it('pushes those that it meets below it', () => {
    expect(placesOf(placed(panels, 'c', one('c', 0, 0)))).toEqual({
      c: [0, 0, 6, 4],
      a: [0, 4, 6, 4],
      b: [6, 0, 6, 4],
    });
  });

  it('goes no further down than it must, and stays within the grid', () => {
    expect(placesOf(placed(panels, 'a', one('a', 30, 90, 6, 4)))).toEqual({
      c: [0, 0, 6, 4],
      b: [6, 0, 6, 4],
      a: [6, 4, 6, 4],
    });
  });

  it('goes below a panel once it is past its middle', () => {
    expect(placesOf(placed(panels, 'a', one('a', 0, 1)))).toMatchObject({ a: [0, 0, 6, 4] });
    const down = { a: [0, 4, 6, 4], c: [0, 0, 6, 4] };
    expect(placesOf(placed(panels, 'a', one('a', 0, 2)))).toMatchObject(down);
    expect(placesOf(placed(panels, 'a', stepped(panels, one('a', 0, 0), [0, 1])))).toMatchObject(
      down,
    );
    expect(placesOf(placed(panels, 'c', stepped(panels, one('c', 0, 4), [0, -1])))).toMatchObject(
      down,
    );
  });

  it('that becomes wider pushes its neighbour down, and what is below that', () => {
    expect(placesOf(placed(panels, 'a', one('a', 0, 0, 12, 1)))).toEqual({
      a: [0, 0, 12, 2],
      b: [6, 2, 6, 4],
      c: [0, 2, 6, 4],
    });
  });
});

it('panels rise where one is removed, and a new one has room below all', () => {
  const panels = [one('a', 0, 0), one('b', 0, 4), one('c', 6, 2)];
  expect(placesOf(removed(panels, 'a'))).toEqual({ b: [0, 0, 6, 4], c: [6, 0, 6, 4] });
  expect(bottom(panels)).toBe(8);
  expect(inOrder([...panels].toReversed()).map(({ id }) => id)).toEqual(['a', 'c', 'b']);
});
