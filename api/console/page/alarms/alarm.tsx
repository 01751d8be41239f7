import { useState } from 'preact/hooks';
import { type Alarm, call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { useMay } from '../roles.ts';
import { linkTo, type PageProps } from '../router.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { At, Lasting } from '../ui/time.tsx';
import { type Act, Acting } from './acting.tsx';
import { useAlarmNews } from './news.ts';
import { AlarmState, Severity } from './severity.tsx';
import { Values } from './values.tsx';

const words = texts.alarms;

/** One alarm: what it is about, what began and ended it, and who saw to it. */
export default function AlarmPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewAlarm', { path: { id } }, signal));
  return (
    <Loaded reading={reading}>{(alarm) => <View alarm={alarm} again={reading.again} />}</Loaded>
  );
}

function View({ alarm: read, again }: { alarm: Alarm; again: () => void }) {
  const news = useAlarmNews({ of: 'group', id: read.group_id });
  const { value: alarm = read } = useRead(news === 0 ? undefined : `${read.id} ${news}`, (signal) =>
    call('viewAlarm', { path: { id: read.id } }, signal),
  );
  const may = useMay({ of: 'group', id: alarm.group_id });
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
      <About alarm={alarm} />
      {kind !== undefined && (
        <Acting act={{ kind, alarm }} onDone={again} onClose={() => setKind(undefined)} />
      )}
    </>
  );
}

function About({ alarm }: { alarm: Alarm }) {
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
