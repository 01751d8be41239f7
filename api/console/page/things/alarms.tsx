import { useMemo, useState } from 'preact/hooks';
import { AlarmTable } from '../alarms/table.tsx';
import { type Act, Acting } from '../alarms/acting.tsx';
import { useAlarmNews, useLiveRead } from '../alarms/news.ts';
import { limitsOf } from '../explore/compared.ts';
import { watchedSeries } from '../explore/rule-series.ts';
import { SeriesChart } from '../alarms/series-chart.tsx';
import { type Alarm, call, type Rule, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { ownTimeZone } from '../time-zone.ts';
import { lastOf, type Range, type Series, textOf } from '../explore/view.ts';
import { episodesOf, useAlarmsIn } from '../explore/use-episodes.ts';
import { useMay } from '../roles.ts';
import { address, choose, linkTo } from '../router.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { pageLimit, pageOffset, Pager } from '../ui/table.tsx';

const words = alarmsTexts;
const rulesMax = 200;
const smallPixels = 170;

/** The alarms of a thing: shaded on what its rules watch, and as a list. */
export function ThingAlarms({ thing }: { thing: Thing }) {
  const news = useAlarmNews({ of: 'group', id: thing.group_id });
  const offset = pageOffset();
  const may = useMay({ of: 'group', id: thing.group_id });
  const [act, setAct] = useState<Act>();
  const path = { id: thing.id };
  const reading = useLiveRead(`${thing.id} ${offset}`, news, (signal) =>
    call('listThingAlarms', { path, query: { offset, limit: pageLimit, dir: 'desc' } }, signal),
  );
  const { value: known } = useRead(thing.id, (signal) =>
    call('listThingRules', { path, query: { limit: rulesMax, order: 'name', dir: 'asc' } }, signal),
  );
  const rules = useMemo(() => (known?.rules ?? []).filter(({ enabled }) => enabled), [known]);
  const series = watchedSeries(rules, thing.id);
  return (
    <div class="stack">
      <Panel flush title={words.ofThing}>
        <Loaded reading={reading}>
          {({ alarms, total }) =>
            total === 0 ? (
              <Empty title={words.noneOfThing} text={words.noneOfThingText} />
            ) : (
              <>
                <AlarmTable alarms={alarms} mayAct={() => may('createSilence')} act={setAct} />
                <Pager
                  offset={offset}
                  limit={pageLimit}
                  total={total}
                  onOffset={(to) => choose({ offset: to === 0 ? undefined : String(to) })}
                />
              </>
            )
          }
        </Loaded>
        {act !== undefined && (
          <Acting act={act} onDone={reading.again} onClose={() => setAct(undefined)} />
        )}
      </Panel>
      {series.length > 0 && <Watched series={series} rules={rules} />}
    </div>
  );
}

const ranges = ['24h', '7d', '30d'] as const;

/** The series that rules watch, with the alarms of the time. */
function Watched({ series, rules }: { series: readonly Series[]; rules: readonly Rule[] }) {
  const text = ranges.find((one) => one === address.value.query['range']) ?? '24h';
  const range: Range = lastOf(text) ?? { kind: 'fixed', from: 0, to: 1 };
  const [now] = useState(Date.now());
  const seconds = range.kind === 'last' ? range.seconds : 0;
  const ends = { from: now - seconds * 1_000, to: Date.now() };
  const alarms = useAlarmsIn(series, range, ends);
  return (
    <Panel
      flush
      title={words.chart}
      actions={
        <>
          <div class="ranges" role="group" aria-label={exploreTexts.range}>
            {ranges.map((one) => (
              <Button
                key={one}
                kind="quiet"
                label={exploreTexts.last(one)}
                pressed={one === text}
                onClick={() => choose({ range: one === '24h' ? undefined : one }, 'replace')}
              >
                {one}
              </Button>
            ))}
          </div>
          <ButtonLink
            kind="quiet"
            icon="explore"
            href={linkTo('/explore', { series: series.map(textOf).join('|'), range: text })}
          >
            {exploreTexts.title}
          </ButtonLink>
        </>
      }
    >
      {series.map((one) => (
        <SeriesAlarms key={textOf(one)} series={one} rules={rules} range={range} alarms={alarms} />
      ))}
    </Panel>
  );
}

/** One series with the alarms of the rules that watch it, and what these compare it with. */
function SeriesAlarms(props: {
  series: Series;
  rules: readonly Rule[];
  range: Range;
  alarms: readonly Alarm[];
}) {
  const { series, rules, range, alarms } = props;
  const watching = rules.filter((rule) =>
    watchedSeries([rule], series.thing).some((one) => textOf(one) === textOf(series)),
  );
  const episodes = useMemo(() => {
    const ids = new Set(watching.map(({ id }) => id));
    const isOf = ({ rule_id: id, began_values: values }: Alarm) =>
      ids.has(id) || values.some(({ name }) => name === series.name);
    return episodesOf(alarms.filter(isOf), ownTimeZone);
  }, [alarms, rules]);
  const limits = useMemo(
    () => watching.flatMap(({ conditions }) => limitsOf(conditions, [series])),
    [rules],
  );
  return (
    <SeriesChart
      series={[series]}
      range={range}
      episodes={episodes}
      limits={limits}
      height={smallPixels}
    />
  );
}
