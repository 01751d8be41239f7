import type { Panel, Threshold } from '../../../../schemas/dashboards/content.ts';
import type { Ends } from '../../../../schemas/dashboards/questions.ts';
import { Chart, LineMark } from '../chart/chart.tsx';
import type { Value } from '../../../../schemas/json/leaf.ts';
import type { Points } from '../explore/read-points.ts';
import { linesOf } from '../explore/shown.ts';
import { exploreTexts } from '../texts/explore.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { numberWriter } from '../ui/number.ts';
import { useReachable } from '../ui/reachable.ts';
import { Table } from '../ui/table.tsx';
import { ShortAt } from '../ui/time.tsx';
import { unitOf } from './units.ts';
import type { LineData, PanelData } from './panel-data.ts';
import type { PanelPoint } from '../../../../schemas/dashboards/points.ts';
import { ownTimeZone } from '../time-zone.ts';
import { Sparkline } from '../chart/sparkline.tsx';

const words = dashboardsTexts;
const { newestOnly } = exploreTexts;

/** The data of a panel, with words for each of its lines. */
type Drawn = {
  panel: Panel;
  data: PanelData;
  labels: readonly string[];
  ends: Ends;
  /** The height that it has, in pixels. */
  height: number;
};

/** The content of a panel. */
export function PanelBody(drawn: Drawn) {
  const { panel, data } = drawn;
  if (data.length === 0) {
    const isWaiting = panel.series.some(({ variable }) => variable !== undefined);
    return <Said text={isWaiting ? words.noThing : words.noSeries} />;
  }
  const isRead = data.some(({ error }) => error === undefined);
  if (!isRead) {
    const areMany = panel.kind === 'states' && data.some(({ code }) => code === 'malformed');
    return <Said text={areMany ? words.manyMessages : words.unreadable} />;
  }
  if (panel.kind === 'value') return <Values {...drawn} />;
  if (panel.kind === 'table') return <Newest {...drawn} />;
  return <Lines {...drawn} />;
}

function Said({ text }: { text: string }) {
  return <p class="panel-said muted">{text}</p>;
}

const legendPixels = 28;
const heightMin = 80;

function Lines({ panel, data, labels, ends, height }: Drawn) {
  const isOfChanges = panel.kind === 'states';
  const all = data.map(
    ({ unit, points }): Points => ({
      unit: unitOf(panel, unit),
      points,
      ...(isOfChanges ? { isOfChanges } : {}),
    }),
  );
  if (all.every(({ points }) => points.every(([, value]) => value === null))) {
    return <Said text={words.nothing} />;
  }
  const aggregate = panel.aggregation ?? 'none';
  const until = ends.to / 1_000;
  const { times, lines } = linesOf(all, labels, { aggregate, gaps: 'null' }, until);
  const isAlone = data.length === 1;
  return (
    <>
      <Cut data={data} labels={labels} />
      <Chart
        label={words.chart(panel.title, labels.join(', '))}
        times={times}
        lines={lines}
        range={{ from: ends.from / 1_000, to: ends.to / 1_000 }}
        timeZone={ownTimeZone}
        isSmall
        style={panel.kind === 'bars' ? 'bars' : isOfChanges ? 'steps' : 'line'}
        fromZero={panel.kind === 'bars'}
        limits={(panel.thresholds ?? []).map(({ value, label = '' }) => ({
          line: 0,
          value,
          label,
        }))}
        height={Math.max(heightMin, height - (isAlone ? 0 : legendPixels))}
      />
      {!isAlone && panel.kind !== 'states' && <Legend labels={labels} />}
    </>
  );
}

function Legend({ labels }: { labels: readonly string[] }) {
  const list = useReachable<HTMLUListElement>();
  return (
    <ul class="panel-legend small" ref={list}>
      {labels.map((label, at) => (
        <li key={at}>
          <LineMark line={at} /> <bdi class="cut">{label}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** Says above a chart of states that it begins later than its range: what is left out is no silence. */
function Cut({ data, labels }: Pick<Drawn, 'data' | 'labels'>) {
  const all = data.flatMap(({ cut }, at) =>
    cut === undefined ? [] : [{ label: labels[at] ?? '', cut }],
  );
  const [first] = all;
  if (first === undefined) return null;
  const { label, cut } = first;
  return (
    <p class="panel-cut small muted">
      <bdi>{all.length === 1 ? newestOnly(label, cut) : words.newestOfEach(all.length)}</bdi>
    </p>
  );
}

const write = numberWriter(5);

const textOf = (value: Value | null | undefined) =>
  typeof value === 'number' ? write(value) : value === null ? words.noValue : String(value ?? '–');

/** The tone of a value: that of the highest threshold that it reaches. */
function toneOf(thresholds: readonly Threshold[] | undefined, value: unknown) {
  if (typeof value !== 'number') return undefined;
  return thresholds
    ?.filter((one) => value >= one.value)
    .toSorted((a, b) => b.value - a.value)
    .at(0)?.tone;
}

/** An aggregate has the value of its last interval. */
function newestOf(panel: Panel, { newest, points }: LineData): PanelPoint | undefined {
  const isAggregate = (panel.aggregation ?? 'none') !== 'none';
  return isAggregate ? points.findLast(([, value]) => value !== null) : newest;
}

function Values(drawn: Drawn) {
  const { panel, data, labels } = drawn;
  return (
    <ul class="panel-values" data-many={data.length > 1}>
      {data.map((one, at) => {
        const value = newestOf(panel, one)?.[1];
        const unit = unitOf(panel, one.unit);
        return (
          <li key={at} data-tone={toneOf(panel.thresholds, value)}>
            {(data.length > 1 || panel.title === '') && (
              <bdi class="cut small muted">{labels[at]}</bdi>
            )}
            <span class="panel-value">
              <bdi>{textOf(value)}</bdi>
              {typeof value === 'number' && unit !== '' && <small class="muted"> {unit}</small>}
            </span>
            <Sparkline
              isWide
              isOfIntervals={(panel.aggregation ?? 'none') !== 'none'}
              points={one.points.flatMap(([time, point]) =>
                typeof point === 'number' ? [[time, point] as const] : [],
              )}
              label={words.spark(labels[at] ?? '')}
            />
          </li>
        );
      })}
    </ul>
  );
}

function Newest({ panel, data, labels }: Drawn) {
  const rows = data.map((one, at) => ({ one, at }));
  return (
    <Table
      label={panel.title === '' ? words.kinds.table : panel.title}
      rows={rows}
      keyOf={({ at }) => String(at)}
      columns={[
        { head: words.series, kind: 'name', cell: ({ at }) => <bdi class="cut">{labels[at]}</bdi> },
        {
          head: words.newest,
          kind: 'number',
          cell: ({ one }) => {
            if (one.error !== undefined) return <span class="muted">{words.unreadable}</span>;
            const value = one.newest?.[1];
            const unit = typeof value === 'number' ? unitOf(panel, one.unit) : '';
            return (
              <span class="panel-cell" data-tone={toneOf(panel.thresholds, value)}>
                <bdi class="break">{textOf(value)}</bdi> {unit}
              </span>
            );
          },
        },
        {
          head: words.when,
          cell: ({ one: { newest } }) =>
            newest === undefined ? (
              words.noValue
            ) : (
              <ShortAt time={new Date(newest[0] * 1_000).toISOString()} />
            ),
        },
      ]}
    />
  );
}
