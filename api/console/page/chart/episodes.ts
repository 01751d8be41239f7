import type uPlot from 'uplot';
import { colour } from './colours.ts';

/** A span of time that is marked on a chart, in seconds; without an end it goes on, and with that of its beginning it is a moment. */
export type Episode = {
  from: number;
  to: number | undefined;
  tone: 'bad' | 'warn' | 'accent' | 'note';
  title: string;
};

const shade = 0.12;
/** Above the lines stands a strip, so that a short one is found as well. */
const stripPixels = 4;
const pixelsMin = 2;
/** A moment is a line with a flag above the plot, which no value comes into. */
const linePixels = 1.5;
const flag = { width: 9, height: 7 };
/** As near as that the pointer may be. */
const nearPixels = 4;

/** Shades episodes over the whole height of a chart. `pixelRatio` is that of its canvas. */
export function shadeEpisodes(
  chart: uPlot,
  episodes: readonly Episode[],
  pixelRatio: number,
): void {
  const { ctx, bbox } = chart;
  const end = bbox.left + bbox.width;
  ctx.save();
  for (const { from, to, tone } of episodes) {
    const left = Math.max(Math.round(chart.valToPos(from, 'x', true)), bbox.left);
    const right = to === undefined ? end : Math.min(Math.round(chart.valToPos(to, 'x', true)), end);
    if (right < bbox.left || left > end) continue;
    const width = Math.max(right - left, pixelsMin * pixelRatio);
    ctx.fillStyle = colour(`--${tone}`);
    if (to === from) {
      raiseFlag(chart, left, pixelRatio);
      continue;
    }
    ctx.globalAlpha = shade;
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bbox.top, width, stripPixels * pixelRatio);
  }
  ctx.restore();
}

function raiseFlag({ ctx, bbox }: uPlot, left: number, pixelRatio: number): void {
  const [width, height] = [flag.width * pixelRatio, flag.height * pixelRatio];
  const top = bbox.top - height;
  ctx.fillRect(left, top, linePixels * pixelRatio, bbox.height + height);
  ctx.beginPath();
  ctx.moveTo(left, top);
  ctx.lineTo(left + width, top + height / 2);
  ctx.lineTo(left, top + height);
  ctx.fill();
}

/** The episodes at a place, in pixels from the left of the plot. */
function episodesAt(chart: uPlot, episodes: readonly Episode[], left: number): Episode[] {
  const end = chart.over.clientWidth;
  return episodes.filter(({ from, to }) => {
    const [start, stop] = [
      chart.valToPos(from, 'x'),
      to === undefined ? end : chart.valToPos(to, 'x'),
    ];
    return left >= start - nearPixels && left <= Math.max(stop, start) + nearPixels;
  });
}

const titlesMax = 4;

/** Says which episodes are under the pointer, beside it. */
export function tellEpisodes(chart: uPlot, tip: HTMLElement, episodes: readonly Episode[]): void {
  const { left = -1 } = chart.cursor;
  const found = left < 0 ? [] : episodesAt(chart, episodes, left);
  const shown = found.slice(0, titlesMax).map(({ title }) => title);
  if (found.length > titlesMax) shown.push(`+${found.length - titlesMax}`);
  tip.hidden = found.length === 0;
  tip.textContent = shown.join('\n');
  const at = chart.over.offsetLeft + left;
  const isLate = left > chart.over.clientWidth / 2;
  tip.style.insetInlineStart = isLate ? '' : `${at + 8}px`;
  tip.style.insetInlineEnd = isLate ? `${chart.root.clientWidth - at + 8}px` : '';
}
