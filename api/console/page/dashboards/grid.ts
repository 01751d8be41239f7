import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { gridColumns } from '../../../../schemas/dashboards/members.ts';

/** The place of a panel on the grid: where it begins, and the cells that it takes. */
export type Place = Pick<Panel, 'x' | 'y' | 'w' | 'h'>;

/** Both for a panel of any kind, so that its head and something of its content show. */
const wMin = 2;
const hMin = 2;
const hMax = 40;

const bounded = (value: number, least: number, most: number) =>
  Math.min(Math.max(Math.round(value), least), most);

/** A place within the grid. */
export function within({ x, y, w, h }: Place): Place {
  const wide = bounded(w, wMin, gridColumns);
  return {
    x: bounded(x, 0, gridColumns - wide),
    y: bounded(y, 0, 900),
    w: wide,
    h: bounded(h, hMin, hMax),
  };
}

const meet = (a: Place, b: Place) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** In reading order: from the top, and from the start of each row. */
export function inOrder<One extends Place>(panels: readonly One[]): One[] {
  return panels.toSorted((a, b) => a.y - b.y || a.x - b.x);
}

/** Panels with one of them at another place: those that it meets go below it, and none stands lower than it must. */
export function placed<One extends Place & { id: string }>(
  panels: readonly One[],
  id: string,
  place: Place,
): One[] {
  const to = overtaking(panels, id, within(place));
  const moved = panels.map((one) => (one.id === id ? { ...one, ...to } : one));
  const first = moved.find((one) => one.id === id);
  if (first === undefined) return [...panels];
  const others = inOrder(moved.filter((one) => one.id !== id));
  const done: One[] = [first];
  for (const one of others) done.push(below(done, one));
  return inSameOrder(panels, rise(done));
}

const shareColumns = (a: Place, b: Place) => a.x < b.x + b.w && b.x < a.x + a.w;

/** Who moves down past the middle of a panel goes below it: that one then rises. */
function overtaking(panels: readonly (Place & { id: string })[], id: string, to: Place): Place {
  const from = panels.find((one) => one.id === id);
  if (from === undefined || to.y <= from.y) return to;
  const ends = panels
    .filter((one) => one.id !== id && shareColumns(one, to) && one.y >= from.y + from.h)
    .filter((one) => one.y + one.h / 2 <= to.y + to.h)
    .map((one) => one.y + one.h);
  return { ...to, y: Math.max(to.y, ...ends) };
}

/** The place one step on: by a column, or past the next panel above or below. */
export function stepped<One extends Place & { id: string }>(
  panels: readonly One[],
  { id, x, y, w, h }: One,
  [right, down]: readonly [columns: number, rows: number],
): Place {
  const near = panels.filter((one) => one.id !== id && shareColumns(one, { x, y, w, h }));
  if (down > 0) {
    const next = Math.min(...near.filter((one) => one.y >= y + h).map((one) => one.y + one.h));
    return { x, y: Number.isFinite(next) ? next : y, w, h };
  }
  if (down < 0) {
    const next = Math.max(...near.filter((one) => one.y < y).map((one) => one.y));
    return { x, y: Number.isFinite(next) ? next : y, w, h };
  }
  return { x: x + right, y, w, h };
}

/** The panel as far down as it must be to meet none of the others. */
function below<One extends Place>(others: readonly One[], panel: One): One {
  let down = panel;
  for (let met = meeting(others, down); met !== undefined; met = meeting(others, down)) {
    down = { ...down, y: met.y + met.h };
  }
  return down;
}

const meeting = <One extends Place>(others: readonly One[], panel: One) =>
  others.find((other) => meet(other, panel));

/** Each as high as there is room. */
function rise<One extends Place>(panels: readonly One[]): One[] {
  const done: One[] = [];
  for (const panel of inOrder(panels)) {
    let up = panel;
    while (up.y > 0 && meeting(done, { ...up, y: up.y - 1 }) === undefined) {
      up = { ...up, y: up.y - 1 };
    }
    done.push(up);
  }
  return done;
}

function inSameOrder<One extends { id: string }>(as: readonly One[], panels: readonly One[]) {
  const byId = new Map(panels.map((one) => [one.id, one]));
  return as.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Panels without one of them, the others as high as there is room. */
export function removed<One extends Place & { id: string }>(
  panels: readonly One[],
  id: string,
): One[] {
  const left = panels.filter((one) => one.id !== id);
  return inSameOrder(left, rise(left));
}

/** Where a new panel has room: below all others. */
export function bottom(panels: readonly Place[]): number {
  return Math.max(0, ...panels.map(({ y, h }) => y + h));
}
