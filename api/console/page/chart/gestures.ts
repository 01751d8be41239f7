import type uPlot from 'uplot';
import { chartTexts } from '../texts/chart.ts';
import { exactIn } from '../ui/time.tsx';
import type { ChartProps, Pointed } from './props.ts';
import { written } from './written.ts';
import { valueAt } from './values.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

type Ends = { from: number; to: number };
type Current = () => { chart: uPlot | undefined; props: ChartProps };

/** The wheel tells its steps one by one: the range is chosen when it rests. */
const wheelRestMs = 200;
const wheelStrength = 0.0015;
const wheelStepMax = 240;
/** Firefox may tell lines in place of pixels. */
const linePixels = 24;
/** The share of the range by which a key moves. */
const movedShare = 0.25;
const zoomedShare = 0.5;
const secondsMin = 0.01;
/** As near as that to a point, in shares of the range, an episode is read out with it. */
const nearShare = 0.005;

/** The range that results from zooming by a factor, where the time at a share of the width stays where it is. */
export function zoomed({ from, to }: Ends, factor: number, share: number): Ends {
  const span = Math.max((to - from) * factor, secondsMin);
  const held = from + (to - from) * share;
  return { from: held - span * share, to: held + span * (1 - share) };
}

export function moved({ from, to }: Ends, share: number): Ends {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** Zooming and moving in a chart by wheel, pointer and keys. Until a range is chosen, `preview` is shown in its place. */
export class Gestures {
  readonly #element: HTMLElement;
  readonly #told: HTMLElement;
  readonly #current: Current;
  readonly #ends = new AbortController();
  #preview: Ends | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `told` is read out by screen readers. */
  constructor(element: HTMLElement, told: HTMLElement, current: Current) {
    this.#element = element;
    this.#told = told;
    this.#current = current;
    const { signal } = this.#ends;
    element.addEventListener('wheel', (event) => this.#turn(event), { signal, passive: false });
    element.addEventListener('keydown', (event) => this.#press(event), { signal });
    element.addEventListener('dblclick', () => this.#reset(), { signal });
  }

  /** The ends of the time axis. */
  get range(): Ends {
    return this.#preview ?? this.#current().props.range;
  }

  /** Another range was chosen: it is shown. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#preview = undefined;
  }

  /** Moves the chart with the pointer, until it is let go. */
  startMove({ clientX: from }: MouseEvent): void {
    const { chart } = this.#current();
    const width = chart?.over.clientWidth ?? 0;
    if (width === 0) return;
    const start = this.range;
    const drag = new AbortController();
    const { signal } = drag;
    const to = (event: MouseEvent) => this.#show(moved(start, (from - event.clientX) / width));
    document.addEventListener('mousemove', to, { signal });
    document.addEventListener(
      'mouseup',
      (event) => {
        drag.abort();
        to(event);
        this.#choose();
      },
      { signal },
    );
  }

  destroy(): void {
    this.forget();
    this.#ends.abort();
  }

  #show(range: Ends): void {
    this.#preview = range;
    this.#current().chart?.setScale('x', { min: range.from, max: range.to });
  }

  #choose(): void {
    clearTimeout(this.#timer);
    const range = this.#preview;
    if (range !== undefined) this.#current().props.onRange?.(range.from, range.to);
  }

  #reset(): void {
    this.forget();
    this.#current().props.onReset?.();
  }

  #turn(event: WheelEvent): void {
    const { chart, props } = this.#current();
    if (chart === undefined || props.onRange === undefined) return;
    const { left, width } = chart.over.getBoundingClientRect();
    const share = (event.clientX - left) / width;
    if (share < 0 || share > 1) return;
    event.preventDefault();
    const [x, y] = [event.deltaX, event.deltaY].map((delta) =>
      clamped(event.deltaMode === 0 ? delta : delta * linePixels),
    );
    if (Math.abs(x ?? 0) > Math.abs(y ?? 0)) this.#show(moved(this.range, (x ?? 0) / width));
    else this.#show(zoomed(this.range, Math.exp((y ?? 0) * wheelStrength), share));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#choose(), wheelRestMs);
  }

  #press(event: KeyboardEvent): void {
    const { props } = this.#current();
    const isWithOther = event.metaKey || event.ctrlKey || event.altKey;
    if (props.onRange === undefined || isWithOther || event.target !== this.#element) return;
    const action = this.#actionOf(event.key);
    if (action === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  #actionOf(key: string): (() => void) | undefined {
    const go = (range: Ends) => () => {
      this.#show(range);
      this.#choose();
    };
    const { range } = this;
    const actions: Readonly<Record<string, () => void>> = {
      '+': go(zoomed(range, zoomedShare, 0.5)),
      '=': go(zoomed(range, zoomedShare, 0.5)),
      '-': go(zoomed(range, 1 / zoomedShare, 0.5)),
      ArrowLeft: go(moved(range, -movedShare)),
      ArrowRight: go(moved(range, movedShare)),
      '0': () => this.#reset(),
      ',': () => this.#step(-1),
      '.': () => this.#step(1),
    };
    return actions[key];
  }

  /** Puts the pointer on the next point, and reads its values out. */
  #step(by: -1 | 1): void {
    const { chart, props } = this.#current();
    const { from, to } = this.range;
    const { times, lines, timeZone } = props;
    const seen = times.flatMap((time, at) => (time >= from && time <= to ? [at] : []));
    const [first, last] = [seen[0], seen.at(-1)];
    if (chart === undefined || first === undefined || last === undefined) return;
    const before = chart.cursor.idx ?? (by > 0 ? first - 1 : last + 1);
    const at = Math.min(Math.max(before + by, first), last);
    const point: Pointed = { at, time: times[at] ?? from };
    chart.setCursor({ left: chart.valToPos(point.time, 'x'), top: chart.over.clientHeight / 2 });
    const told = lines.flatMap((line) =>
      line.isHidden === true || line.paleOf !== undefined
        ? []
        : [chartTexts.value(line.label, written(valueAt(line, point)), unitText(line.unit))],
    );
    const near = (to - from) * nearShare;
    const titles = (props.episodes ?? [])
      .filter((one) => one.from - near <= point.time && (one.to ?? to) + near >= point.time)
      .map(({ title }) => title);
    const moment = exactIn(timeZone).format(point.time * 1_000);
    this.#told.textContent = [moment, ...told, ...titles].join('; ');
  }
}

const clamped = (pixels: number) => Math.min(Math.max(pixels, -wheelStepMax), wheelStepMax);
