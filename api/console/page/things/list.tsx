import { useMemo, useState } from 'preact/hooks';
import { call, type Requests, type Thing } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { choose, goTo, address, type Query } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { Badge, Explained, PageHead, Panel } from '../ui/page.tsx';
import { shortNumberWriter } from '../ui/number.ts';
import { Pager } from '../ui/table.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { Ago } from '../ui/time.tsx';
import { NewThing } from './new-thing.tsx';
import { NoThings, useStanding } from './no-things.tsx';
import { activeMs, silentMs, stateOf, type ThingState, tones } from './state.ts';

/** Below what the API takes for a large page. */
const limit = 40;
/** The time that a thing's rate is counted over. */
const rateMs = 3_600_000;

type ListQuery = NonNullable<Requests['listThings']['query']>;

const types = ['all', 'sensor', 'actuator', 'device', 'controller', 'gateway'] as const;
const states = ['all', 'active', 'silent'] as const;
const orders = ['name', 'seen', 'created'] as const;

const oneOf = <Value extends string>(all: readonly Value[], given: string | undefined, or: Value) =>
  all.find((one) => one === given) ?? or;

/** The filters in the address. */
function filtersOf(query: Query) {
  return {
    name: query['name'] ?? '',
    type: oneOf(types, query['type'], 'all'),
    state: oneOf(states, query['state'], 'all'),
    group: query['group'] ?? '',
    order: oneOf(orders, query['order'], 'name'),
    offset: Math.max(0, Math.trunc(Number(query['offset'] ?? 0)) || 0),
    cursor: query['cursor'] ?? '',
  };
}

type Filters = ReturnType<typeof filtersOf>;

function queryOf({ name, type, state, order, offset, cursor }: Filters): ListQuery {
  const since = (ms: number) => new Date(Date.now() - ms).toISOString();
  return {
    name,
    limit,
    ...(cursor === '' ? { offset } : { cursor }),
    ...(type === 'all' ? {} : { type }),
    ...(state === 'active' ? { seen_since: since(activeMs) } : {}),
    ...(state === 'silent' ? { silent_since: since(silentMs) } : {}),
    ...(order === 'name' ? { order: 'name', dir: 'asc' } : {}),
    ...(order === 'seen' ? { order: 'last_seen', dir: 'desc' } : {}),
    ...(order === 'created' ? { order: 'created_at', dir: 'desc' } : {}),
  };
}

/**
 * The way from page to page. The API's cursors lead on, and back to pages that were seen; a page that was not is found
 * by its offset.
 */
function usePages({ name, type, state, group, order, offset }: Filters) {
  const starts = useMemo(() => new Map<number, string>(), [name, type, state, group, order]);
  return (to: number, next: string | undefined) => {
    if (to > offset && next !== undefined) starts.set(to, next);
    choose({ offset: to === 0 ? undefined : String(to), cursor: starts.get(to) });
  };
}

/** The things one may see, a page at a time. */
export default function ThingList() {
  const [isMaking, setMaking] = useState(false);
  const filters = filtersOf(address.value.query);
  const reading = useRead(JSON.stringify(filters), (signal) =>
    filters.group === ''
      ? call('listThings', { query: queryOf(filters) }, signal)
      : call('listGroupThings', { path: { id: filters.group }, query: queryOf(filters) }, signal),
  );
  const rates = useRates(filters, reading.value);
  const turnTo = usePages(filters);
  const { name, type, state, group } = filters;
  const isFiltered = name !== '' || type !== 'all' || state !== 'all' || group !== '';
  // Keys show to those who may make things.
  const hasKeys = reading.value?.things.some(({ key }) => key !== undefined) === true;
  const standing = useStanding(reading.value !== undefined && !hasKeys);
  const mayMake = hasKeys || standing.value?.mayMake === true;
  const make = (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      {thingsTexts.make}
    </Button>
  );
  return (
    <>
      <PageHead title={thingsTexts.title}>{mayMake && make}</PageHead>
      <Panel flush>
        <FilterBar filters={filters} />
        <Loaded reading={reading}>
          {({ things, total, next }) =>
            total === 0 ? (
              isFiltered ? (
                <NoMatch />
              ) : (
                <Loaded reading={standing}>
                  {(known) => <NoThings standing={known} make={make} />}
                </Loaded>
              )
            ) : (
              <>
                <ThingTable things={things} rates={rates} />
                <Pager
                  offset={filters.offset}
                  limit={limit}
                  total={total}
                  onOffset={(offset) => turnTo(offset, next)}
                />
              </>
            )
          }
        </Loaded>
      </Panel>
      {isMaking && <NewThing onClose={() => setMaking(false)} />}
    </>
  );
}

/**
 * The number of records of each thing of the page that are dated within the last hour: the store has no time of
 * receipt. It is read after the page, which does not wait.
 */
function useRates(
  filters: Filters,
  page: unknown,
): ReadonlyMap<string, number | undefined> | undefined {
  const { value } = useRead(page === undefined ? undefined : JSON.stringify(filters), (signal) => {
    const since = new Date(Date.now() - rateMs).toISOString();
    const query = { ...queryOf(filters), messages_since: since };
    return filters.group === ''
      ? call('listThings', { query }, signal)
      : call('listGroupThings', { path: { id: filters.group }, query }, signal);
  });
  return useMemo(
    () => value && new Map(value.things.map(({ id, messages }) => [id, messages])),
    [value],
  );
}

function NoMatch() {
  return (
    <Empty title={thingsTexts.noMatch}>
      <Button onClick={() => goTo('/things')}>{partsTexts.clear}</Button>
    </Empty>
  );
}

/** As many as a list gives at once. */
const groupsMax = 200;

function FilterBar({ filters: { name, type, state, group, order } }: { filters: Filters }) {
  const things = thingsTexts;
  const { value: known } = useRead('', (signal) =>
    call('listGroups', { query: { limit: groupsMax, order: 'name', dir: 'asc' } }, signal),
  );
  const groups = known?.groups ?? [];
  const change = (query: Query) =>
    choose({ ...query, offset: undefined, cursor: undefined }, 'replace');
  return (
    <header class="filters">
      <Search label={things.search} value={name} onSearch={(text) => change({ name: text })} />
      {(groups.length > 1 || group !== '') && (
        <Choice
          label={things.group}
          value={group}
          options={[
            { value: '', text: things.everyGroup },
            ...groups.map((one) => ({ value: one.id, text: one.name })),
          ]}
          onChoose={(value) => change({ group: value })}
        />
      )}
      <Choice
        label={things.type}
        value={type}
        options={types.map((value) => ({ value, text: things.typeChoices[value] }))}
        onChoose={(value) => change({ type: value === 'all' ? undefined : value })}
      />
      <Choice
        label={things.state}
        value={state}
        options={states.map((value) => ({ value, text: things.stateChoices[value] }))}
        onChoose={(value) => change({ state: value === 'all' ? undefined : value })}
      />
      <Choice
        label={things.order}
        value={order}
        options={orders.map((value) => ({ value, text: things.orders[value] }))}
        onChoose={(value) => change({ order: value === 'name' ? undefined : value })}
      />
    </header>
  );
}

const short = shortNumberWriter(3);

function Rate({ messages }: { messages: number | undefined }) {
  if (messages === undefined) return <>–</>;
  return <span title={messages.toLocaleString('en')}>{short(messages)}</span>;
}

function State({ state }: { state: ThingState }) {
  return (
    <span title={thingsTexts.statesMean[state]}>
      <Badge tone={tones[state]}>{thingsTexts.states[state]}</Badge>
    </span>
  );
}

function ThingTable({
  things,
  rates,
}: {
  things: readonly Thing[];
  rates: ReadonlyMap<string, number | undefined> | undefined;
}) {
  const now = Date.now();
  return (
    <table class="table fixed">
      <thead>
        <tr>
          <th scope="col">{thingsTexts.name}</th>
          <th scope="col" class="wide">
            {thingsTexts.type}
          </th>
          <th scope="col" class="narrow">
            <Explained by={Object.values(thingsTexts.statesMean)}>{thingsTexts.state}</Explained>
          </th>
          <th scope="col" class="wide number" title={thingsTexts.lastHourTitle}>
            {thingsTexts.lastHour}
          </th>
          <th scope="col" class="wide">
            {thingsTexts.lastSeen}
          </th>
        </tr>
      </thead>
      <tbody>
        {things.map((thing) => (
          <tr key={thing.id} data-link onClick={() => goTo(`/things/${thing.id}`)}>
            <th scope="row">
              <a
                href={`#/things/${thing.id}`}
                title={thing.name.length > 40 ? thing.name : undefined}
              >
                <bdi class="cut">{thing.name}</bdi>
              </a>
            </th>
            <td class="wide muted">{thingsTexts.types[thing.type]}</td>
            <td class="narrow">
              <State state={stateOf(thing.last_seen, now)} />
              {thing.last_seen !== null && (
                <div class="phone-only small muted">
                  <Ago time={thing.last_seen} />
                </div>
              )}
            </td>
            <td class="wide number">
              <Rate messages={rates?.get(thing.id)} />
            </td>
            <td class="wide">
              <Ago time={thing.last_seen} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
