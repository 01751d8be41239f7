import { useMemo, useState } from 'preact/hooks';
import { type Alarm, call, type Rule } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { episodesOf } from '../explore/use-episodes.ts';
import { queryOf, readView, textOf } from '../explore/view.ts';
import { ownTimeZone } from '../time-zone.ts';
import { useMay } from '../roles.ts';
import { linkTo, type PageProps } from '../router.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { At, Lasting } from '../ui/time.tsx';
import { type Act, Acting } from './acting.tsx';
import { limitsOf } from '../explore/compared.ts';
import { useAlarmNews } from './news.ts';
import { watchedSeries } from '../explore/rule-series.ts';
import { SeriesChart } from './series-chart.tsx';
import { sentenceOf } from './sentence.ts';
import { AlarmState, Severity } from './severity.tsx';
import { Values } from './values.tsx';

const words = alarmsTexts;

/** One alarm: what it is about, what began and ended it, and who saw to it. */
export default function AlarmPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewAlarm', { path: { id } }, signal));
  return (
    <Loaded reading={reading} isPage>
      {(alarm) => <View alarm={alarm} again={reading.again} />}
    </Loaded>
  );
}

function View({ alarm: read, again }: { alarm: Alarm; again: () => void }) {
  const news = useAlarmNews({ of: 'group', id: read.group_id });
  const { value: alarm = read } = useRead(news === 0 ? undefined : `${read.id} ${news}`, (signal) =>
    call('viewAlarm', { path: { id: read.id } }, signal),
  );
  const may = useMay({ of: 'group', id: alarm.group_id });
  // The rule may be gone.
  const asking = useRead(alarm.rule_id, (signal) =>
    call('viewRule', { path: { id: alarm.rule_id } }, signal).catch(() => undefined),
  );
  const [kind, setKind] = useState<Act['kind']>();
  return (
    <>
      <PageHead title={alarm.rule_name} trail={[{ text: words.title, href: '#/alarms' }]}>
        <Severity severity={alarm.severity} />
        <AlarmState state={alarm.state} isSeen={alarm.acknowledged_at !== undefined} />
        {may('acknowledgeAlarm') && (
          <Button
            kind={alarm.acknowledged_at === undefined ? 'primary' : 'plain'}
            icon="check"
            onClick={() => setKind('acknowledge')}
          >
            {words.acknowledge}
          </Button>
        )}
        {may('createSilence') && (
          <Button icon="silence" onClick={() => setKind('silence')}>
            {words.silence}
          </Button>
        )}
      </PageHead>
      <div class="stack">
        {!asking.isLoading && <Course alarm={alarm} rule={asking.value} />}
        <About alarm={alarm} rule={asking.value} />
      </div>
      {kind !== undefined && (
        <Acting act={{ kind, alarm }} onDone={again} onClose={() => setKind(undefined)} />
      )}
    </>
  );
}

const minuteMs = 60_000;
/** So long before and after it is shown, at least. */
const aroundMs = 15 * minuteMs;

/** Draws what its rule watches, around the time of the alarm. */
function Course({ alarm, rule }: { alarm: Alarm; rule: Rule | undefined }) {
  const { thing_id: thing, began_values: values } = alarm;
  const [now] = useState(Date.now());
  // Of a rule that is gone, series are taken for those of SenML.
  const conditions = rule?.conditions ?? values.map(({ name }) => ({ name, when: '>' as const }));
  const series = watchedSeries([{ conditions }], thing);
  const episodes = useMemo(() => episodesOf([alarm], ownTimeZone), [alarm]);
  if (series.length === 0) return null;
  const began = Date.parse(alarm.began_at);
  const ended = alarm.ended_at === undefined ? now : Date.parse(alarm.ended_at);
  const around = Math.max(aroundMs, (ended - began) / 2);
  const range = { kind: 'fixed', from: began - around, to: Math.min(ended + around, now) } as const;
  const view = readView({ series: series.map(textOf).join('|') });
  const explore = linkTo('/explore', queryOf({ ...view, range }));
  return (
    <Panel
      flush
      title={words.chart}
      actions={
        <ButtonLink kind="quiet" icon="explore" href={explore}>
          {exploreTexts.title}
        </ButtonLink>
      }
    >
      <SeriesChart
        series={series}
        range={range}
        episodes={episodes}
        limits={limitsOf(rule?.conditions ?? [], series)}
      />
    </Panel>
  );
}

function About({ alarm, rule }: { alarm: Alarm; rule: Rule | undefined }) {
  const { thing_id: thing, began_at: began, fired_at: fired, ended_at: ended } = alarm;
  return (
    <Panel title={words.about}>
      <dl class="facts">
        <dt>{words.thing}</dt>
        <dd>
          <a href={linkTo(`/things/${thing}`)}>
            <bdi>{alarm.thing_name}</bdi>
          </a>
        </dd>
        {rule !== undefined && (
          <>
            <dt>{words.rule}</dt>
            <dd>
              <a href={linkTo(`/rules/${rule.id}`)}>
                <bdi class="break">{sentenceOf(rule)}</bdi>
              </a>
            </dd>
          </>
        )}
        <dt>{words.began}</dt>
        <dd>
          <At time={began} />
        </dd>
        <dt>{words.fired}</dt>
        <dd>
          <At time={fired} />
        </dd>
        <dt>{words.ended}</dt>
        <dd>{ended === undefined ? words.goesOn : <Ended alarm={alarm} at={ended} />}</dd>
        <dt>{words.lasted}</dt>
        <dd>
          <Lasting from={began} to={ended} />
        </dd>
        <dt>{words.beganValues}</dt>
        <dd>
          <Values values={alarm.began_values} />
        </dd>
        {alarm.ended_values !== undefined && (
          <>
            <dt>{words.endedValues}</dt>
            <dd>
              <Values values={alarm.ended_values} />
            </dd>
          </>
        )}
        <dt>{words.seen}</dt>
        <dd>
          <Seen alarm={alarm} />
        </dd>
        <dt>{words.clock}</dt>
        <dd>{words.clocks[alarm.clock]}</dd>
        <dt>{words.episode}</dt>
        <dd>{words.episodeOf(alarm.episode)}</dd>
      </dl>
      {alarm.history && <p class="muted small">{words.history}</p>}
    </Panel>
  );
}

function Ended({ alarm: { ended_why: why }, at }: { alarm: Alarm; at: string }) {
  return (
    <>
      <At time={at} />
      {why !== undefined && <span class="muted">: {words.endedWhy[why]}</span>}
    </>
  );
}

function Seen({ alarm }: { alarm: Alarm }) {
  const { acknowledged_at: at, acknowledged_by_email: email, note } = alarm;
  if (at === undefined) return <span class="muted">{words.seenNobody}</span>;
  return (
    <>
      <At time={at} />
      {email !== undefined && (
        <>
          , <bdi class="break">{email}</bdi>
        </>
      )}
      {note !== undefined && (
        <p>
          <bdi class="break">{note}</bdi>
        </p>
      )}
    </>
  );
}
