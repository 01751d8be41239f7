import { useSignal } from '@preact/signals';
import { operationsTexts } from '../texts/operations.ts';
import { Chart, type Line, LineMark } from '../chart/chart.tsx';
import { Icon } from '../ui/icons.tsx';
import type { Tile, TileLine } from './tiles.ts';
import { type Unit, unitOf, withUnit, written } from './units.ts';
import { ownTimeZone } from '../time-zone.ts';

const chartPixels = 144;

/** One subject: how it is now, and how it was. */
export function TileView({
  tile: { id, title, measure, now, over, note, lines, more },
  times,
  range,
}: {
  tile: Tile;
  times: readonly number[];
  range: { from: number; to: number };
}) {
  // A signal: while the pointer moves only the legend is drawn again.
  const at = useSignal<number | undefined>(undefined);
  const isTold = lines.some(({ values }) => values.some((value) => value !== null));
  const unit = unitOf(measure, now ?? 0);
  return (
    <section class="panel tile" aria-labelledby={`tile-${id}`}>
      <header>
        <h3 id={`tile-${id}`}>{title}</h3>
        {more !== undefined && (
          <a class="small" href={more.href}>
            {more.text} <Icon name="right" />
          </a>
        )}
      </header>
      <p class="figure">
        <b>{written(now === null ? null : now / unit.by)}</b>
        {now !== null && <span>{unit.text}</span>}
        {now !== null && over !== undefined && <small class="over">{over}</small>}
      </p>
      <p class="small muted cut" title={note}>
        {note}
      </p>
      <div class="drawing">
        <Chart
          label={operationsTexts.chart(title, lines.map(({ label }) => label).join(', '))}
          times={times}
          lines={scaled(lines)}
          range={range}
          timeZone={ownTimeZone}
          isSmall
          fromZero
          height={chartPixels}
          onPoint={(pointed) => {
            at.value = pointed?.at;
          }}
        />
        {!isTold && <p class="nothing">{operationsTexts.nothing}</p>}
      </div>
      <Legend times={times} lines={lines} at={at} />
    </section>
  );
}

/** In the unit of the largest value of each measure, which is the axis'. */
function scaled(lines: readonly TileLine[]): Line[] {
  const units = new Map<string, Unit>();
  for (const { measure } of lines) {
    const largest = lines
      .filter((line) => line.measure === measure)
      .flatMap(({ values }) => values)
      .reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
    units.set(measure, unitOf(measure, largest));
  }
  return lines.map(({ label, measure, values }) => {
    const { text, by } = units.get(measure) ?? { text: '', by: 1 };
    return {
      label,
      // As the axis writes it after a value.
      unit: /^\w/.test(text) ? ` ${text}` : text,
      values: values.map((value) => (value === null ? null : value / by)),
    };
  });
}

const clock = new Intl.DateTimeFormat('en', {
  timeZone: ownTimeZone,
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** The lines with their values under the pointer, or as they are now. */
function Legend({
  times,
  lines,
  at: { value: at },
}: {
  times: readonly number[];
  lines: readonly TileLine[];
  at: { readonly value: number | undefined };
}) {
  const time = at === undefined ? undefined : times[at];
  // One line is what stands above it.
  if (lines.length === 1 && time === undefined) return <ul class="legend" />;
  return (
    <ul class="legend">
      {lines.map(({ label, measure, now, values }, i) => (
        <li key={label}>
          <LineMark line={i} />
          <span class="cut" title={label}>
            {label}
          </span>
          <b class="number">{withUnit(measure, at === undefined ? now : values[at])}</b>
        </li>
      ))}
      {time !== undefined && <li class="muted">{clock.format(time * 1_000)}</li>}
    </ul>
  );
}
