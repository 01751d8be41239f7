import { useEffect, useMemo, useState } from 'preact/hooks';
import { limitsOf, type Movable } from '../explore/compared.ts';
import { watchedSeries } from '../explore/rule-series.ts';
import { sentenceOf } from '../alarms/sentence.ts';
import { SeriesChart } from '../alarms/series-chart.tsx';
import type { Episode } from '../chart/episodes.ts';
import { call, type PreviewedRule, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { lastOf, type Range } from '../explore/view.ts';
import { ownTimeZone } from '../time-zone.ts';
import { rulesTexts } from '../texts/rules.ts';
import { exploreTexts } from '../texts/explore.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Choice } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, Loading, Notice } from '../ui/states.tsx';
import { exactIn } from '../ui/time.tsx';
import { decidingOf, type Draft, problemsOf } from './draft.ts';
import { useNames } from './use-names.ts';

const words = rulesTexts.preview;
/** A preview waits until the typing pauses. */
const typedMs = 350;
const dayChoices = [1, 7, 30] as const;

type PreviewProps = {
  groupId: string;
  draft: Draft;
  /** Undefined until they are known. */
  things: readonly Thing[] | undefined;
  thingId: string;
  onThing: (id: string) => void;
  /** Absent where one may only look. */
  onMove?: (at: number, what: Movable, value: number) => void;
};

/** Draws what a rule watches of a thing, and when it would have fired, as it is typed. */
export function Preview(props: PreviewProps) {
  const { draft, things, thingId, onThing } = props;
  const [days, setDays] = useState<number>(7);
  const deciding = decidingOf(draft);
  const isComplete = !Object.keys(problemsOf(draft)).some((field) => decides.test(field));
  const sentence = sentenceOf(deciding);
  return (
    <Panel
      flush
      title={words.title}
      actions={
        <>
          {things !== undefined && things.length > 0 && (
            <Choice
              label={words.thing}
              value={thingId}
              options={things.map(({ id, name }) => ({ value: id, text: name }))}
              onChoose={onThing}
            />
          )}
          <div class="ranges" role="group" aria-label={words.days}>
            {dayChoices.map((one) => (
              <Button
                key={one}
                kind="quiet"
                label={exploreTexts.last(`${one}d`)}
                pressed={one === days}
                onClick={() => setDays(one)}
              >
                {`${one}d`}
              </Button>
            ))}
          </div>
        </>
      }
    >
      <p class="sentence">
        <bdi>{sentence}</bdi>
      </p>
      {thingId === '' ? (
        things === undefined ? (
          <Loading />
        ) : (
          <p class="small muted aside">{words.noThings}</p>
        )
      ) : (
        <Tried {...props} days={days} isComplete={isComplete} />
      )}
      {thingId !== '' && isComplete && <All {...props} days={days} />}
    </Panel>
  );
}

/** Fields without which a rule can't be tried. */
const decides = /^(?:conditions\.|for$|clear_for$|gap$)/;

function Tried(props: PreviewProps & { days: number; isComplete: boolean }) {
  const { groupId, draft, thingId, days, isComplete, onMove } = props;
  const deciding = decidingOf(draft);
  const body = { ...deciding, profile_id: null, thing_ids: [thingId], days };
  const wanted = isComplete ? JSON.stringify([groupId, body]) : undefined;
  const key = useLater(wanted);
  const reading = useRead(key, (signal) =>
    call('previewRule', { path: { id: groupId }, body }, signal),
  );
  const alarms = key === undefined ? undefined : reading.value?.things[0];
  const episodes = useMemo(() => episodesOf(alarms?.alarms ?? []), [alarms]);
  const series = watchedSeries(
    [{ conditions: draft.watches === 'silence' ? [] : deciding.conditions }],
    thingId,
  );
  const range: Range = lastOf(`${days}d`) ?? { kind: 'fixed', from: 0, to: 1 };
  return (
    <>
      {series.length > 0 && (
        <SeriesChart
          series={series}
          range={range}
          episodes={episodes}
          limits={limitsOf(deciding.conditions, series, onMove)}
        />
      )}
      {isComplete ? (
        <Loaded reading={reading}>
          {() => (
            <p class="small aside" role="status">
              <b>{words.fired(alarms?.total ?? 0, days)}</b>{' '}
              {onMove !== undefined && draft.watches === 'values' && (
                <span class="muted">{words.drag}</span>
              )}
            </p>
          )}
        </Loaded>
      ) : (
        <p class="small muted aside">{words.incomplete}</p>
      )}
    </>
  );
}

function episodesOf(alarms: PreviewedRule['things'][number]['alarms']): Episode[] {
  const format = exactIn(ownTimeZone);
  return alarms.map(({ began_at: began, ended_at: ended }) => ({
    from: Date.parse(began) / 1_000,
    to: ended === undefined ? undefined : Date.parse(ended) / 1_000,
    tone: 'bad',
    title: words.alarm(
      format.format(Date.parse(began)),
      ended === undefined ? alarmsTexts.now : format.format(Date.parse(ended)),
    ),
  }));
}

/** A value once it has stood for a while. */
function useLater(value: string | undefined): string | undefined {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), typedMs);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}

/** Tries it on all things that it is about, when asked: that may take seconds. */
function All({ groupId, draft, days, onThing }: PreviewProps & { days: number }) {
  const body = { ...decidingOf(draft), days };
  const key = JSON.stringify(body);
  const [tried, setTried] = useState<{ key: string; answer: PreviewedRule }>();
  const { failure, isBusy, run } = useAction();
  const answer = tried?.key === key ? tried.answer : undefined;
  const names = useNames((answer?.things ?? []).map(({ thing_id: id }) => id));
  const total = (answer?.things ?? []).reduce((sum, one) => sum + one.total, 0);
  return (
    <div class="aside tried">
      {answer === undefined ? (
        <Button
          icon="play"
          disabled={isBusy}
          onClick={() =>
            void run(async () =>
              setTried({ key, answer: await call('previewRule', { path: { id: groupId }, body }) }),
            )
          }
        >
          {words.all}
        </Button>
      ) : (
        <>
          <p class="small" role="status">
            <b>{words.allOf(total, answer.things.length, answer.looked_at)}</b>{' '}
            {answer.left_out > 0 && <span class="muted">{words.leftOut(answer.left_out)}</span>}
          </p>
          <ul class="choices">
            {answer.things
              .toSorted((one, other) => other.total - one.total)
              .map(({ thing_id: id, total: alarms }) => (
                <li key={id}>
                  <button type="button" onClick={() => onThing(id)}>
                    <bdi class="cut">{names.get(id) ?? '…'}</bdi>
                    <span class="muted small number">{partsTexts.number(alarms)}</span>
                  </button>
                </li>
              ))}
          </ul>
        </>
      )}
      <Notice failure={failure} />
    </div>
  );
}
