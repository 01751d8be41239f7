import type uPlot from 'uplot';
import { colour } from './colours.ts';
import { fontFamily } from './font.ts';
import { digitsOf } from './written.ts';

/** A value that a line is compared with: drawn across the chart, and moved by pointer or keys. */
export type Threshold = {
  key: string;
  scale: string;
  value: number;
  /** Where something is over, beside where it begins. */
  isEnd: boolean;
  /** Says what moves. */
  label: string;
  /** Stands beside it. */
  text?: string | undefined;
  /** Absent: it is only looked at. */
  onMove?: (value: number) => void;
};

const dash = [6, 4];
/** So many steps of the keys lie in the height of the chart. */
const stepsOfKeys = 100;
const stepsOfPointer = 400;
/** Of a text beside it. */
const charsMax = 40;
const textPixels = 12;

/** Draws the lines, dashed. `pixelRatio` is that of the canvas. */
export function drawThresholds(
  chart: uPlot,
  thresholds: readonly Threshold[],
  pixelRatio: number,
): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.lineWidth = 1.5 * pixelRatio;
  ctx.setLineDash(dash.map((pixels) => pixels * pixelRatio));
  ctx.font = `${11 * pixelRatio}px ${fontFamily}`;
  ctx.textAlign = 'right';
  const texts: { y: number; left: number }[] = [];
  for (const { value, scale, isEnd, text = '' } of thresholds) {
    ctx.strokeStyle = colour(isEnd ? '--muted' : '--bad');
    const y = Math.round(chart.valToPos(value, scale, true));
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const shown = text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
    ctx.fillStyle = ctx.strokeStyle;
    // Texts of lines that are close stand beside each other.
    const right = texts
      .filter((other) => Math.abs(other.y - y) < textPixels * pixelRatio)
      .reduce(
        (end, { left }) => Math.min(end, left - 8 * pixelRatio),
        bbox.left + bbox.width - 4 * pixelRatio,
      );
    ctx.fillText(shown, right, y - 4 * pixelRatio);
    texts.push({ y, left: right - ctx.measureText(shown).width });
  }
  ctx.restore();
}

/** The largest power of ten of which so many lie between the ends. */
function stepOf(chart: uPlot, scale: string, steps: number): number {
  const { min = 0, max = 1 } = chart.scales[scale] ?? {};
  const span = Math.abs((max ?? 1) - (min ?? 0)) || 1;
  return 10 ** Math.floor(Math.log10(span / steps));
}

/** A value to a step, without the digits that come from counting in twos. */
function rounded(value: number, step: number): number {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return Number((Math.round(value / step) * step).toFixed(Math.min(digits, 15)));
}

/**
 * The handles of thresholds, on the axis at the start: each is a slider. While one is held the axes stay as they are, so
 * that the line does not run from the pointer.
 */
export class Handles {
  readonly #host: HTMLElement;
  readonly #current: () => { chart: uPlot | undefined; thresholds: readonly Threshold[] };
  readonly #handles = new Map<string, HTMLElement>();
  #held: string | undefined;

  constructor(
    host: HTMLElement,
    current: () => { chart: uPlot | undefined; thresholds: readonly Threshold[] },
  ) {
    this.#host = host;
    this.#current = current;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Puts each handle where its line is. */
  place(): void {
    const { chart, thresholds } = this.#current();
    if (chart === undefined) return;
    const wanted = new Set(thresholds.map(({ key }) => key));
    for (const [key, handle] of this.#handles) {
      if (wanted.has(key)) continue;
      handle.remove();
      this.#handles.delete(key);
    }
    for (const threshold of thresholds) this.#placeOne(chart, threshold);
  }

  #placeOne(chart: uPlot, { key, scale, value, isEnd, label, onMove }: Threshold): void {
    if (onMove === undefined) return;
    const handle = this.#handles.get(key) ?? this.#make(key);
    const top = chart.valToPos(value, scale);
    const isIn = top >= 0 && top <= chart.over.clientHeight;
    const { min = 0, max = 0 } = chart.scales[scale] ?? {};
    handle.hidden = !isIn;
    handle.dataset['end'] = String(isEnd);
    handle.style.top = `${chart.over.offsetTop + top}px`;
    handle.style.insetInlineEnd = `${chart.root.clientWidth - chart.over.offsetLeft}px`;
    handle.textContent = String(value);
    handle.setAttribute('aria-label', label);
    handle.setAttribute('aria-valuetext', String(value));
    handle.setAttribute('aria-valuenow', digitsOf(value));
    handle.setAttribute('aria-valuemin', digitsOf(min ?? 0));
    handle.setAttribute('aria-valuemax', digitsOf(max ?? 0));
  }

  #make(key: string): HTMLElement {
    const handle = document.createElement('div');
    handle.className = 'handle';
    handle.tabIndex = 0;
    handle.role = 'slider';
    handle.ariaOrientation = 'vertical';
    handle.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      this.#held = key;
    });
    handle.addEventListener('pointermove', (event) => this.#drag(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      handle.addEventListener(end, () => this.#release());
    }
    handle.addEventListener('keydown', (event) => this.#press(key, event));
    this.#host.append(handle);
    this.#handles.set(key, handle);
    return handle;
  }

  #find(key: string): Threshold | undefined {
    return this.#current().thresholds.find((one) => one.key === key);
  }

  #drag({ clientY }: PointerEvent): void {
    const { chart } = this.#current();
    const held = this.#held;
    const threshold = held === undefined ? undefined : this.#find(held);
    if (chart === undefined || threshold === undefined) return;
    const { top, height } = chart.over.getBoundingClientRect();
    const at = Math.min(Math.max(clientY - top, 0), height);
    const step = stepOf(chart, threshold.scale, stepsOfPointer);
    const value = rounded(chart.posToVal(at, threshold.scale), step);
    if (value !== threshold.value) threshold.onMove?.(value);
  }

  #release(): void {
    this.#held = undefined;
    const { chart } = this.#current();
    // The axes may move again.
    chart?.setData(chart.data);
  }

  #press(key: string, event: KeyboardEvent): void {
    const { chart } = this.#current();
    const threshold = this.#find(key);
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (steps === undefined || chart === undefined || threshold === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const step = stepOf(chart, threshold.scale, stepsOfKeys);
    threshold.onMove?.(rounded(threshold.value + steps * step, step));
  }

  destroy(): void {
    for (const handle of this.#handles.values()) handle.remove();
    this.#handles.clear();
  }
}
