import type uPlot from 'uplot';
import { colour, lineColour } from './colours.ts';
import { fontFamily } from './font.ts';

/** A text or a boolean, and from when to when it was so, in seconds. */
export type Band = { from: number; to: number; value: string | boolean };

/** The states of one series over time. */
export type Lane = { label: string; line: number; bands: readonly Band[] };

/** The height of a lane, with its name and the space above it. */
export const lanePixels = 52;
const bandPixels = 22;
const namePixels = 18;
const paddingPixels = 6;
const bandPixelsMin = 2;

/** Opacity of bands: the text on them can be read in either theme. */
const strengths = { text: 0.3, true: 0.5, false: 0.14 };

/** Draws lanes into the foot of a chart, one below the other. `pixelRatio` is that of its canvas. */
export function drawLanes(chart: uPlot, lanes: readonly Lane[], pixelRatio: number): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const colours = { text: colour('--text'), name: colour('--muted') };
  for (const [i, lane] of lanes.entries()) {
    const top = bbox.top + bbox.height - (lanes.length - i) * lanePixels * pixelRatio;
    ctx.font = `${12 * pixelRatio}px ${fontFamily}`;
    ctx.fillStyle = colours.name;
    const nameAt = top + (namePixels / 2 + paddingPixels / 2) * pixelRatio;
    ctx.fillText(lane.label, bbox.left + paddingPixels * pixelRatio, nameAt);
    drawBands(chart, lane, { top: top + namePixels * pixelRatio, text: colours.text, pixelRatio });
  }
  ctx.restore();
}

function drawBands(
  chart: uPlot,
  { bands, line }: Lane,
  at: { top: number; text: string; pixelRatio: number },
): void {
  const { ctx } = chart;
  const values = [...new Set(bands.map(({ value }) => value))];
  const fills = values.map((value) => fillOf(value, line + values.indexOf(value), line));
  const [height, padding] = [bandPixels * at.pixelRatio, paddingPixels * at.pixelRatio];
  for (const { from, to, value } of bands) {
    const left = Math.round(chart.valToPos(from, 'x', true));
    const right = Math.round(chart.valToPos(to, 'x', true));
    const width = Math.max(right - left, bandPixelsMin * at.pixelRatio);
    const { fill, strength } = fills[values.indexOf(value)] ?? { fill: at.text, strength: 1 };
    ctx.globalAlpha = strength;
    ctx.fillStyle = fill;
    ctx.fillRect(left, at.top, width, height);
    ctx.globalAlpha = 1;
    // An edge shows where a state begins, whatever the two colours.
    ctx.fillRect(left, at.top, at.pixelRatio, height);
    writeInto(chart, String(value), {
      left: Math.max(left, chart.bbox.left) + padding,
      right: left + width - padding,
      middle: at.top + height / 2,
      fill: at.text,
    });
  }
}

/** Booleans are strong or faint in the colour of their line; each text has a colour of its own. */
function fillOf(value: string | boolean, nth: number, line: number) {
  return typeof value === 'boolean'
    ? { fill: lineColour(line), strength: strengths[value ? 'true' : 'false'] }
    : { fill: lineColour(nth), strength: strengths.text };
}

const charsMax = 200;
/** Fewer letters say nothing. */
const charsMin = 3;

/** Writes a text where it has room; a longer one is cut, and none stands where not even its first letters fit. */
function writeInto(
  { ctx }: uPlot,
  text: string,
  { left, right, middle, fill }: { left: number; right: number; middle: number; fill: string },
): void {
  const room = right - left;
  let shown = text.slice(0, charsMax);
  while (shown !== '' && ctx.measureText(shown).width > room) {
    shown = shown.length <= charsMin + 1 ? '' : `${shown.slice(0, -2)}…`;
  }
  ctx.fillStyle = fill;
  ctx.fillText(shown, left, middle);
}
