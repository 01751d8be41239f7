/**
 * @typedef {{ name: string, value: number | null, unit: string, goal: string, reached: boolean, note?: string,
 *   spread?: [least: number, most: number] }} Figure
 * @typedef {{
 *   at: string, commit: string, machine: string, node: string, clickhouse: string, jsonParseMBs: number,
 *   results: Record<string, Figure[]>,
 * }} Run
 * @typedef {{ name: string, unit: string, values: Map<string, number> }} Task What systems made of it.
 * @typedef {{ name: string, points: Map<number, number> }} Curve A figure by how much there was.
 * @typedef {{ by: string, unit: string, curves: Curve[] }} Growth Curves that share their axes.
 */

const few = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const many = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** @param {number | null | undefined} value */
export function number(value) {
  if (value === null || value === undefined) return '–';
  return (Math.abs(value) >= 100 ? many : few).format(value);
}

/** As short as an axis needs it. @param {number} value */
export const shortNumber = (value) => compact.format(value);

/** `againstBare` as `Against bare`. @param {string} name */
export function words(name) {
  const spaced = name.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Each scenario with the newest run that has it. @param {Run[]} runs */
export function latestByScenario(runs) {
  /** @type {Map<string, Run>} */
  const latest = new Map();
  for (const run of runs)
    for (const scenario of Object.keys(run.results)) latest.set(scenario, run);
  return latest;
}

/**
 * What can be drawn of figures: those named `task / system`, and those named `task by things / 1000`.
 * The others are left.
 *
 * @param {Figure[]} figures
 */
export function drawable(figures) {
  /** @type {Map<string, Task>} */
  const tasks = new Map();
  /** @type {Map<string, Growth>} */
  const growths = new Map();
  /** @type {Set<Figure>} */
  const drawn = new Set();
  for (const figure of figures) {
    const { name, value, unit } = figure;
    const [, task, what] = /^(.+) \/ (.+)$/.exec(name) ?? [];
    if (task === undefined || what === undefined || value === null) continue;
    drawn.add(figure);
    const amount = Number(what.replaceAll(',', ''));
    const [, curve, by] = /^(.+) by (.+)$/.exec(task) ?? [];
    if (curve !== undefined && by !== undefined && amount > 0) {
      const key = `${by}, ${unit}`;
      const growth = growths.get(key) ?? { by, unit, curves: [] };
      growths.set(key, growth);
      const known = growth.curves.find((one) => one.name === curve);
      if (known === undefined)
        growth.curves.push({ name: curve, points: new Map([[amount, value]]) });
      else known.points.set(amount, value);
    } else {
      const key = `${task}, ${unit}`;
      const values = tasks.get(key)?.values ?? new Map();
      tasks.set(key, { name: task, unit, values: values.set(what, value) });
    }
  }
  return { tasks: [...tasks.values()], growths: [...growths.values()], drawn };
}
