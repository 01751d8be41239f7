import { useMemo, useState } from 'preact/hooks';
import { type Alarm, call } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { urlOf } from '../client/url.ts';
import { useRead } from '../client/use-read.ts';
import { placeAmong, usePlaces } from '../place/places.ts';
import { useMayIn } from '../roles.ts';
import { address, choose, linkTo } from '../router.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { rulesTexts } from '../texts/rules.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { pageLimit, pageOffset, Pager } from '../ui/table.tsx';
import { type Act, Acting } from './acting.tsx';
import {
  alarmQueryOf,
  fileQueryOf,
  FilterBar,
  type Filters,
  filtersOf,
  isFiltered,
  type KnownRule,
} from './filters.tsx';
import { useAlarmNews, useLiveRead } from './news.ts';
import { alarmsPath, type AlarmsOf, readAlarms } from './read-alarms.ts';
import { AlarmTable } from './table.tsx';
import { AlarmTabs } from './tabs.tsx';

const words = alarmsTexts;

/** The alarms of an org, a group, or all that one sees: those that are open, unless others are asked for. */
export default function AlarmList() {
  const places = usePlaces(userIn(session.value), 'all');
  const all = places.value ?? [];
  return (
    <>
      <PageHead title={words.title}>
        {all.length > 0 && <Export place={placeAmong(all)} />}
      </PageHead>
      <AlarmTabs current="alarms" />
      <Loaded reading={places}>
        {(seen) =>
          seen.length === 0 ? (
            <Empty title={words.noPlace} text={words.noPlaceText} />
          ) : (
            <Alarms key={alarmsPath(placeAmong(seen))} place={placeAmong(seen)} />
          )
        }
      </Loaded>
    </>
  );
}

/** All that fit the filters, as a file. */
function Export({ place }: { place: AlarmsOf }) {
  const query = { ...fileQueryOf(filtersOf(address.value.query)), convert: 'csv', bom: true };
  return (
    <ButtonLink
      icon="download"
      href={urlOf(`${alarmsPath(place)}/export`, query)}
      download=""
      label={words.export}
    />
  );
}

function Alarms({ place }: { place: AlarmsOf }) {
  const filters = filtersOf(address.value.query);
  const offset = pageOffset();
  const news = useAlarmNews(place);
  const [act, setAct] = useState<Act>();
  const key = JSON.stringify([alarmsPath(place), filters, offset]);
  const reading = useLiveRead(key, news, (signal) =>
    readAlarms(place, alarmQueryOf(filters, offset), signal),
  );
  const alarms = reading.value?.alarms ?? [];
  const mayIn = useMayIn(alarms.map(({ group_id: group }) => group));
  return (
    <Panel flush>
      <FilterBar filters={filters} rules={useRules(filters, alarms)} />
      <span class="hidden" role="status">
        {reading.value !== undefined && words.came(reading.value.total)}
      </span>
      <Loaded reading={reading}>
        {({ total }) =>
          total === 0 ? (
            <None filters={filters} place={place} />
          ) : (
            <>
              <AlarmTable
                alarms={alarms}
                mayAct={(group) => mayIn(group, 'createSilence')}
                act={setAct}
              />
              <Pager
                offset={offset}
                limit={pageLimit}
                total={total}
                onOffset={(to) => choose({ offset: to === 0 ? undefined : String(to) })}
              />
              <KeyHints />
            </>
          )
        }
      </Loaded>
      {act !== undefined && (
        <Acting act={act} onDone={reading.again} onClose={() => setAct(undefined)} />
      )}
    </Panel>
  );
}

/** The rules of the alarms that were seen while the page is open, and the one that is chosen. */
function useRules({ rule }: Filters, alarms: readonly Alarm[]): KnownRule[] {
  const seen = useMemo(() => new Map<string, string>(), []);
  for (const { rule_id: id, rule_name: name } of alarms) if (!seen.has(id)) seen.set(id, name);
  const isKnown = rule === '' || seen.has(rule);
  const { value } = useRead(isKnown ? undefined : rule, (signal) =>
    call('viewRule', { path: { id: rule } }, signal),
  );
  if (!isKnown) return [...known(seen), { rule_id: rule, rule_name: value?.name ?? rule }];
  return known(seen);
}

const known = (names: ReadonlyMap<string, string>): KnownRule[] =>
  [...names]
    .map(([rule_id, rule_name]) => ({ rule_id, rule_name }))
    .toSorted((one, other) => one.rule_name.localeCompare(other.rule_name));

function None({ filters, place }: { filters: Filters; place: AlarmsOf }) {
  if (!isFiltered(filters)) {
    return (
      <Empty title={words.none} text={words.noneText}>
        <ButtonLink href={linkTo('/rules', place === undefined ? {} : { [place.of]: place.id })}>
          {rulesTexts.title}
        </ButtonLink>
      </Empty>
    );
  }
  const clear = { state: undefined, severity: undefined, rule: undefined, acknowledged: undefined };
  return (
    <Empty title={words.noneSuch}>
      <Button onClick={() => choose({ ...clear, offset: undefined })}>{partsTexts.clear}</Button>
    </Empty>
  );
}

const keys = [
  { keys: ['j', 'k'], text: words.keyMove },
  { keys: ['Enter'], text: words.keyOpen },
  { keys: ['a'], text: words.keyAcknowledge },
  { keys: ['s'], text: words.keySilence },
];

/** For who has a keyboard: what it does here. */
function KeyHints() {
  return (
    <ul class="key-hints small muted" aria-label={words.keys}>
      {keys.map(({ keys: names, text }) => (
        <li key={text}>
          {names.map((name) => (
            <kbd key={name}>{name}</kbd>
          ))}{' '}
          {text}
        </li>
      ))}
    </ul>
  );
}
