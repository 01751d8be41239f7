import { useEffect, useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import { follow } from '../client/live.ts';
import { isVisible } from '../client/visible.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { linkTo, type PageProps, address } from '../router.ts';
import { useMay } from '../roles.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { thingsTexts } from '../texts/things.ts';
import { Badge, Explained, PageHead, Tabs } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import { alarmNews } from '../client/alarm-news.ts';
import { About } from './about.tsx';
import { ThingAlarms } from './alarms.tsx';
import { Commands } from './commands.tsx';
import { Connect } from './connect.tsx';
import { Latest } from './latest.tsx';
import { type Came, key, type One } from './latest-values.ts';
import { Messages } from './messages.tsx';
import { SeenAt, useSeen } from './seen.tsx';
import { stateOf, tones } from './state.ts';

const tabs = ['latest', 'messages', 'alarms', 'commands', 'connect', 'about'] as const;

/** One thing: what it sends, live, how it connects, and what is known of it. */
export default function ThingPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewThing', { path: { id } }, signal));
  return (
    <Loaded reading={reading} isPage>
      {(thing) => <View thing={thing} reading={reading} />}
    </Loaded>
  );
}

function View({ thing, reading }: { thing: Thing; reading: Reading<Thing> }) {
  const things = thingsTexts;
  const came = useCame(thing.id);
  const seen = useSeen(thing, came);
  const state = stateOf(seen.at, Date.now());
  const may = useMay({ of: 'group', id: thing.group_id });
  const shown = tabs.filter((one) => one !== 'commands' || may('listThingCommands'));
  const tab = shown.find((one) => one === address.value.query['tab']) ?? 'latest';
  return (
    <>
      <PageHead title={thing.name} trail={[{ text: things.title, href: '#/things' }]}>
        <OpenAlarms thing={thing} />
        <Explained by={[things.statesMean[state]]}>
          <Badge tone={tones[state]}>{things.states[state]}</Badge>
        </Explained>
        <span class="muted small seen">
          <SeenAt seen={seen} />
        </span>
      </PageHead>
      <Tabs
        label={things.views}
        current={tab}
        tabs={shown.map((one) => ({
          id: one,
          text: things.tabs[one],
          href: linkTo(`/things/${thing.id}`, { tab: one === 'latest' ? undefined : one }),
        }))}
      />
      {thing.refused !== undefined && <Refused refused={thing.refused} />}
      {tab === 'latest' && <Latest thing={thing} came={came} />}
      {tab === 'messages' && <Messages thing={thing} />}
      {tab === 'alarms' && <ThingAlarms thing={thing} />}
      {tab === 'commands' && <Commands to={{ kind: 'thing', id: thing.id, name: thing.name }} />}
      {tab === 'connect' && (
        <Connect thing={thing} isConnected={seen.at !== null} again={reading.again} />
      )}
      {tab === 'about' && <About thing={thing} seen={seen} again={reading.again} />}
    </>
  );
}

/** How many of its alarms are open: the way to them. */
function OpenAlarms({ thing: { id } }: { thing: Thing }) {
  const { value } = useRead(`${id} ${alarmNews.value}`, (signal) =>
    call('listThingAlarms', { path: { id }, query: { state: 'open', limit: 1 } }, signal),
  );
  if (value === undefined || value.total === 0) return null;
  return (
    <a href={linkTo(`/things/${id}`, { tab: 'alarms' })}>
      <Badge tone="bad">{alarmsTexts.openOf(value.total)}</Badge>
    </a>
  );
}

/** Messages that the device was not told are refused: who looks at its page is. */
function Refused({ refused }: { refused: NonNullable<Thing['refused']> }) {
  return (
    <p class="notice" role="status">
      {thingsTexts.refused(refused.messages)} <At time={refused.since} />:{' '}
      <bdi>{refused.reason}</bdi>
    </p>
  );
}

/** Messages are shown together this often: a thing may send thousands a second. */
const shownMs = 250;

/** The newest message of each series that came while one looks. */
function useCame(id: string): Came {
  const [came, setCame] = useState<Came>(new Map());
  const isLooking = isVisible.value;
  useEffect(() => {
    if (!isLooking) return undefined;
    const next = new Map<string, One>();
    let isShown = true;
    const stops = [
      follow('senml', { publisher: id }, (message) => {
        const seenAt = new Date().toISOString();
        next.set(key('senml', message.name ?? ''), { format: 'senml', message, seenAt });
        isShown = false;
      }),
      follow('json', { publisher: id }, (message) => {
        const seenAt = new Date().toISOString();
        next.set(key('json', message.subtopic ?? ''), { format: 'json', message, seenAt });
        isShown = false;
      }),
    ];
    const timer = setInterval(() => {
      if (!isShown) setCame(new Map(next));
      isShown = true;
    }, shownMs);
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    };
  }, [id, isLooking]);
  return came;
}
