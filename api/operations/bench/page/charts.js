import { number, shortNumber } from './figures.js';

/** @import UPlot from 'uplot' */
/** @import { Growth, Task } from './figures.js' */
/** @typedef {(number | null)[]} Values */
/** @typedef {{ name: string, values: Values, isGoal?: boolean }} Line */

/** Set by its own script, the smallest form it comes in. @type {typeof UPlot} */
const uPlot = Reflect.get(globalThis, 'uPlot');
const barPaths = uPlot.paths.bars?.({ size: [0.75, 20] });

// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its name is gone at run time
const leftSide = /** @type {UPlot.Axis.Side.Left} */ (3);
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its name is gone at run time
const logarithmic = /** @type {UPlot.Scale.Distr.Logarithmic} */ (3);

const dark = matchMedia('(prefers-color-scheme: dark)');
const colours = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6'];
const dashes = [[], [8, 4], [2, 3]];
const markers = ['solid', 'dashed', 'dotted'];
const barPixels = 24;
/** At most, in the font of the charts. */
const letterPixels = 7;
const chartPixels = 240;
const font = '12px "Inter", system-ui, sans-serif';
const still = { drag: { x: false, y: false, setScale: false } };

/** A colour of the style sheet, as it is just now. @param {string} name */
function colour(name) {
  // Canvases do not know `light-dark()`.
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** @param {string[]} texts */
const longest = (texts) => Math.max(...texts.map((text) => text.length));

/** @param {number} i */
const lineColour = (i) => colour(colours[i % colours.length] ?? '');

/**
 * Keeps a chart drawn: again for each width and for each colour scheme.
 *
 * @param {string} label what the chart tells, for who does not see it
 * @param {(host: HTMLElement, width: number) => { destroy(): void }} draw
 */
function chart(label, draw) {
  const host = document.createElement('div');
  host.className = 'chart';
  host.role = 'img';
  host.ariaLabel = label;
  /** @type {{ destroy(): void } | undefined} */
  let drawn;
  let width = 0;
  const again = () => {
    if (!host.isConnected) dark.removeEventListener('change', again);
    drawn?.destroy();
    drawn = draw(host, width);
  };
  new ResizeObserver(() => {
    if (host.clientWidth === width || host.clientWidth === 0) return;
    width = host.clientWidth;
    again();
  }).observe(host);
  dark.addEventListener('change', again);
  return host;
}

/**
 * What each system made of a task: a bar each, in the order and the colours that hold for all tasks.
 *
 * @param {Task} task
 * @param {string[]} systems
 */
export function bars({ name, unit, values }, systems) {
  const shown = systems.filter((system) => values.has(system));
  const slots = shown.map((_, i) => i);
  const lengths = shown.map((system) => values.get(system) ?? 0);
  const told = shown.map((system, i) => `${system} ${number(lengths[i])}`).join(', ');

  return chart(`${name}, ${unit}: ${told}`, (host, width) => {
    const text = colour('--text');
    const namesWidth = 16 + letterPixels * longest(systems);
    const barsWidth = width - namesWidth;
    // Behind the longest bar there is room for the longest value.
    const share = 1 - (16 + letterPixels * longest(lengths.map(number))) / barsWidth;
    /** Writes the values behind the bars. @param {UPlot} u */
    const write = (u) => {
      const { ctx } = u;
      ctx.save();
      ctx.textBaseline = 'middle';
      ctx.textAlign = 'left';
      ctx.fillStyle = text;
      ctx.font = font.replace(/\d+/, (pixels) => String(Number(pixels) * devicePixelRatio));
      for (const [i, length] of lengths.entries()) {
        const end = u.valToPos(length, 'y', true) + 6 * devicePixelRatio;
        ctx.fillText(number(length), end, u.valToPos(i, 'x', true));
      }
      ctx.restore();
    };
    return new uPlot(
      {
        width,
        height: shown.length * barPixels,
        padding: [0, 0, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, ori: 1, dir: -1, range: [-0.5, slots.length - 0.5] },
          y: { ori: 0, dir: 1, range: [0, (Math.max(...lengths) || 1) / share] },
        },
        axes: [
          {
            side: leftSide,
            size: namesWidth,
            stroke: text,
            font,
            grid: { show: false },
            ticks: { show: false },
            splits: () => slots,
            values: () => shown,
          },
          { show: false },
        ],
        series: [
          {},
          ...shown.map((system) => ({
            label: system,
            fill: lineColour(systems.indexOf(system)),
            width: 0,
            points: { show: false },
            ...(barPaths === undefined ? {} : { paths: barPaths }),
          })),
        ],
        hooks: { draw: [write] },
      },
      [slots, ...slots.map((slot) => lengths.map((length, i) => (i === slot ? length : null)))],
      host,
    );
  });
}

/** What figures come to as something grows. @param {Growth} growth */
export function growthChart({ by, unit, curves }) {
  const all = curves.flatMap(({ points }) => [...points.keys()]);
  const amounts = [...new Set(all)].toSorted((a, b) => a - b);
  const lines = curves.map(({ name, points }) => ({
    name,
    values: amounts.map((amount) => points.get(amount) ?? null),
  }));
  return lineChart(`By ${by}, ${unit}; a table of these figures follows`, lines, {
    xs: amounts,
    names: amounts.map(shortNumber),
    xScale: { distr: logarithmic, range: (_u, least, most) => [least / 1.3, most * 1.3] },
    xLabel: by,
    unit,
  });
}

/**
 * Lines over runs, which stand side by side whatever time was between them.
 *
 * @param {Line[]} lines
 * @param {string[]} names of the runs
 * @param {string} unit
 */
export function timeline(lines, names, unit) {
  return lineChart(`Lines over the runs, in ${unit}; a list of the runs follows`, lines, {
    xs: names.map((_, i) => i),
    names,
    xScale: { range: [-0.5, Math.max(names.length - 0.5, 0.5)] },
    xLabel: 'run',
    unit,
  });
}

/**
 * @param {string} label
 * @param {Line[]} lines
 * @param {{ xs: number[], names: string[], xScale: UPlot.Scale, xLabel: string, unit: string }} over
 */
function lineChart(label, lines, { xs, names, xScale, xLabel, unit }) {
  return chart(label, (host, width) => {
    const axis = {
      stroke: colour('--muted'),
      font,
      grid: { stroke: colour('--rule'), width: 1 },
      ticks: { stroke: colour('--rule'), width: 1 },
    };
    const namePixels = 14 + letterPixels * longest(names.flatMap((name) => name.split('\n')));
    // As many names as there is room for, the newest among them.
    const every = Math.ceil((xs.length * namePixels) / Math.max(width - 100, namePixels));
    const isShown = (/** @type {unknown} */ _, /** @type {number} */ i) =>
      (xs.length - 1 - i) % every === 0;
    const [splits, labels] = [xs.filter(isShown), names.filter(isShown)];
    /** @type {UPlot.Series.Value} */
    const format = (_u, value) => (value === null ? '' : `${number(value)} ${unit}`);
    return new uPlot(
      {
        width,
        height: chartPixels,
        padding: [12, 36, 0, 0],
        cursor: still,
        legend: { markers: { dash: (_u, i) => markers[(i - 1) % markers.length] ?? 'solid' } },
        scales: {
          x: { time: false, ...xScale },
          y: { range: (_u, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
        },
        axes: [
          {
            ...axis,
            size: 44,
            splits: () => splits,
            values: () => labels,
          },
          { ...axis, size: 52, values: (_u, found) => found.map(shortNumber) },
        ],
        series: [
          {
            label: xLabel,
            value: (_u, _x, _series, i) => (i === null ? '' : (names[i] ?? '').replace('\n', ', ')),
          },
          ...lines.map(({ name, isGoal }, i) => ({
            label: name,
            stroke: isGoal ? axis.stroke : lineColour(i),
            width: isGoal ? 1 : 2,
            dash: isGoal ? [4, 4] : (dashes[i % dashes.length] ?? []),
            spanGaps: true,
            points: { show: !isGoal, size: 7, fill: isGoal ? axis.stroke : lineColour(i) },
            value: format,
          })),
        ],
      },
      [xs, ...lines.map(({ values }) => values)],
      host,
    );
  });
}
