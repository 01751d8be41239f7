import { useState } from 'preact/hooks';
import { call, type Silence } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { PlaceChoice } from '../place/choice.tsx';
import { groupsIn, type ListPlace, onlyPlace, usePlaces } from '../place/places.ts';
import { useMay } from '../roles.ts';
import { address, choose, linkTo } from '../router.ts';
import { silencesTexts } from '../texts/silences.ts';
import { rulesTexts } from '../texts/rules.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { Choice } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { AlarmTabs } from './tabs.tsx';

const words = silencesTexts;
const states = ['live', 'ended'] as const;

/** The silences of a group: of what nobody is told, until when, and why. */
export default function SilenceList() {
  const reading = usePlaces(userIn(session.value), 'all');
  const chosen = onlyPlace(reading.value && groupsIn(reading.value, undefined));
  return (
    <>
      <PageHead title={words.title} />
      <AlarmTabs current="silences" />
      <Loaded reading={reading}>
        {(places) =>
          chosen === undefined ? (
            <PlaceChoice places={groupsIn(places, undefined)}>
              <Empty title={rulesTexts.noGroup} text={rulesTexts.noGroupText} />
            </PlaceChoice>
          ) : (
            <Silences key={chosen.id} group={chosen} />
          )
        }
      </Loaded>
    </>
  );
}

/** A silence with the names of what it is about. */
type Named = Silence & { rule: string | undefined; thing: string | undefined };

async function named(silence: Silence, signal: AbortSignal): Promise<Named> {
  const { rule_id: rule, thing_id: thing } = silence;
  const [ofRule, ofThing] = await Promise.all([
    rule === undefined ? undefined : call('viewRule', { path: { id: rule } }, signal).catch(none),
    thing === undefined
      ? undefined
      : call('viewThing', { path: { id: thing } }, signal).catch(none),
  ]);
  return {
    ...silence,
    rule: rule === undefined ? undefined : (ofRule?.name ?? words.gone),
    thing: thing === undefined ? undefined : (ofThing?.name ?? words.gone),
  };
}

const none = () => undefined;

function Silences({ group: { id } }: { group: ListPlace }) {
  const offset = pageOffset();
  const state = states.find((one) => one === address.value.query['state']) ?? 'live';
  const may = useMay({ of: 'group', id });
  const [ending, setEnding] = useState<Silence>();
  const reading = useRead(`${id} ${state} ${offset}`, async (signal) => {
    const query = { state, offset, limit: pageLimit, order: 'until', dir: 'asc' } as const;
    const page = await call('listSilences', { path: { id }, query }, signal);
    return { ...page, silences: await Promise.all(page.silences.map((one) => named(one, signal))) };
  });
  return (
    <Panel flush>
      <header class="filters">
        <Choice
          label={words.state}
          value={state}
          options={states.map((value) => ({ value, text: words.states[value] }))}
          onChoose={(value) =>
            choose({ state: value === 'live' ? undefined : value, offset: undefined }, 'replace')
          }
        />
      </header>
      <PagedTable
        reading={reading}
        rowsOf={({ silences }) => silences}
        keyOf={(silence) => silence.id}
        columns={[
          ...columns,
          ...(state === 'live' && may('endSilence') ? [endingBy(setEnding)] : []),
        ]}
        none={{ title: words.none, text: words.noneText }}
      />
      {ending !== undefined && (
        <Question
          operation="endSilence"
          request={() => ({ path: { id: ending.id } })}
          title={words.ending}
          text={words.endingText}
          action={words.end}
          onDone={() => {
            say(words.ended);
            reading.again();
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Panel>
  );
}

const columns: readonly Column<Named>[] = [
  {
    head: words.what,
    kind: 'name',
    cell: ({ rule, thing, rule_id: ruleId, thing_id: thingId, reason }) => (
      <>
        {rule !== undefined && (
          <a href={linkTo(`/rules/${ruleId}`)}>
            <bdi class="cut">{rule}</bdi>
          </a>
        )}
        {thing !== undefined && (
          <a href={linkTo(`/things/${thingId}`)}>
            <bdi class="cut muted">{thing}</bdi>
          </a>
        )}
        {rule === undefined && thing === undefined && words.group}
        <bdi class="cut small muted phone-only">{reason}</bdi>
      </>
    ),
  },
  { head: words.reason, isExtra: true, cell: ({ reason }) => <bdi class="break">{reason}</bdi> },
  {
    head: words.by,
    isExtra: true,
    cell: ({ made_by_email: email }) => <bdi class="muted break">{email}</bdi>,
  },
  { head: words.until, cell: ({ until }) => <Ago time={until} /> },
];

const endingBy = (end: (silence: Silence) => void): Column<Named> => ({
  head: partsTexts.actions,
  cell: (silence) => (
    <Button label={words.endOf(silence.reason)} onClick={() => end(silence)}>
      {words.end}
    </Button>
  ),
});
