import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Thing } from '../client/call.ts';
import { choose, goTo } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { Icon } from '../ui/icons.tsx';
import { numberWriter, shortNumberWriter } from '../ui/number.ts';
import { unitText } from '../../../../schemas/messages/units.ts';
import { Sparkline } from '../chart/sparkline.tsx';
import { Ago } from '../ui/time.tsx';
import { Spacer, useNearEnd, useShown } from '../ui/virtual.tsx';
import { type Column, headOf, textOfColumn } from './columns.ts';
import { textOfValue } from './draft.ts';
import type { Filters } from './list-filters.ts';
import { type Told, useValues } from './list-values.ts';
import type { Rows } from './read-things.ts';
import { isChosen, type Selection, toggled, toggledAll } from './selection.ts';
import { stateOf } from './state.ts';

const words = thingsTexts.list;
/** As the style sheet has it. */
const rowPixels = 44;

type Names = { groups: ReadonlyMap<string, string>; profiles: ReadonlyMap<string, string> };

type TableProps = {
  rows: Rows;
  filters: Filters;
  columns: readonly Column[];
  names: Names;
  /** Undefined for who may change none of them. */
  selection: Selection | undefined;
  onSelect: (selection: Selection) => void;
};

/** Rows as one scrolls, however many there are. */
export function ThingTable({
  rows: all,
  filters,
  columns,
  names,
  selection,
  onSelect,
}: TableProps) {
  const { rows, hasMore, more } = all;
  const { body, shown } = useShown(rows.length, rowPixels);
  const drawn = rows.slice(shown.start, shown.end);
  const told = useValues(
    drawn.map(({ id }) => id),
    columns,
  );
  useNearEnd(shown, rows.length, more);
  useEffect(() => {
    scrollTo(0, 0);
  }, [all.first.value]);
  return (
    <div class="scroll list">
      <table class="table things" aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <Head all={rows} {...{ filters, columns, selection, onSelect }} />
        <tbody ref={body}>
          <Spacer rows={shown.start} rowPixels={rowPixels} />
          {drawn.map((thing, at) => (
            <Row
              key={thing.id}
              thing={thing}
              index={shown.start + at + 2}
              columns={columns}
              names={names}
              told={told}
              isOn={selection === undefined ? undefined : isChosen(selection, thing.id)}
              onChoose={() => selection !== undefined && onSelect(toggled(selection, thing))}
            />
          ))}
          <Spacer rows={rows.length - shown.end} rowPixels={rowPixels} />
        </tbody>
      </table>
    </div>
  );
}

function Head(
  props: Pick<TableProps, 'filters' | 'columns' | 'selection' | 'onSelect'> & {
    all: readonly Thing[];
  },
) {
  const { filters, columns, selection, onSelect, all } = props;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection !== undefined && (
          <td class="pick">
            <input
              type="checkbox"
              aria-label={words.chooseAll}
              checked={all.length > 0 && all.every(({ id }) => isChosen(selection, id))}
              onChange={() => onSelect(toggledAll(selection, all))}
            />
          </td>
        )}
        <SortedHead order="name" filters={filters}>
          {thingsTexts.name}
        </SortedHead>
        {columns.map((column) =>
          column.kind === 'seen' ? (
            <SortedHead key="seen" order="seen" filters={filters}>
              {headOf(column)}
            </SortedHead>
          ) : (
            <th
              key={textOfColumn(column)}
              scope="col"
              class={classOf(column)}
              data-column={column.kind}
              title={column.kind === 'rate' ? thingsTexts.lastHourTitle : headOf(column)}
            >
              <bdi class="cut">{headOf(column)}</bdi>
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

const classOf = ({ kind }: Column) => (kind === 'rate' || kind === 'value' ? 'number' : undefined);

/** A head that sorts: once more turns the order around. */
function SortedHead(props: {
  order: 'name' | 'seen';
  filters: Filters;
  children: ComponentChildren;
}) {
  const { order, filters, children } = props;
  const isBy = filters.order === order;
  const isUp = filters.dir === 'asc';
  const turn = () => {
    const usual = order === 'name' ? 'asc' : 'desc';
    const dir = isBy ? (isUp ? 'desc' : 'asc') : usual;
    choose(
      { order: order === 'name' ? undefined : order, dir: dir === usual ? undefined : dir },
      'replace',
    );
  };
  return (
    <th
      scope="col"
      class={order === 'name' ? 'first' : undefined}
      data-column={order === 'name' ? undefined : order}
      aria-sort={isBy ? (isUp ? 'ascending' : 'descending') : 'none'}
    >
      <button type="button" class="sorts" onClick={turn}>
        {children}
        {isBy ? <span aria-hidden="true">{isUp ? '↑' : '↓'}</span> : <Icon name="choose" />}
      </button>
    </th>
  );
}

type RowProps = {
  thing: Thing;
  index: number;
  columns: readonly Column[];
  names: Names;
  told: Told;
  isOn: boolean | undefined;
  onChoose: () => void;
};

function Row({ thing, index, columns, names, told, isOn, onChoose }: RowProps) {
  const { id, name } = thing;
  return (
    <tr
      data-link
      aria-rowindex={index}
      data-chosen={isOn === true ? '' : undefined}
      onClick={({ target }) => {
        if (target instanceof HTMLElement && target.closest('.pick, a') === null) {
          goTo(`/things/${id}`);
        }
      }}
    >
      {isOn !== undefined && (
        <td class="pick">
          <input
            type="checkbox"
            aria-label={words.choose(name)}
            checked={isOn}
            onChange={onChoose}
          />
        </td>
      )}
      <th scope="row" class="first">
        <a href={`#/things/${id}`} title={name.length > 30 ? name : undefined}>
          <bdi class="cut">{name}</bdi>
        </a>
      </th>
      {columns.map((column) => (
        <td key={textOfColumn(column)} class={classOf(column)}>
          <Cell thing={thing} column={column} names={names} told={told} />
        </td>
      ))}
    </tr>
  );
}

const short = shortNumberWriter(3);
const write = numberWriter(6);
const shortWhole = shortNumberWriter(6);
/** Characters of a number that its column has room for. */
const numberMax = 12;
/** A value that is older shows its age. */
const dayMs = 86_400_000;

function Cell(props: { thing: Thing; column: Column; names: Names; told: Told }) {
  const { thing, column, names, told } = props;
  const values = told.get(thing.id);
  const lastSeen = values?.last_seen ?? thing.last_seen;
  if (column.kind === 'state') return <StateMark lastSeen={lastSeen} />;
  if (column.kind === 'seen') return <Ago time={lastSeen} />;
  if (column.kind === 'rate') return <Rate messages={values?.messages} />;
  if (column.kind === 'value' || column.kind === 'trend') {
    const one = values?.series.find(
      ({ format, name }) => format === column.format && name === column.name,
    );
    if (one === undefined) {
      return (
        <span class="muted" title={values && thingsTexts.noValue}>
          –
        </span>
      );
    }
    if (column.kind === 'trend') {
      const points = (one.points ?? []).map(({ time, value }) => [time, value] as const);
      if (points.length === 0) {
        return (
          <span class="muted" title={thingsTexts.noTrend}>
            –
          </span>
        );
      }
      return <Sparkline points={points} label={thingsTexts.trendOf(column.name)} />;
    }
    return <Value one={one} />;
  }
  const text = textIn(thing, column, names);
  return (
    <bdi class={column.kind === 'id' ? 'cut mono' : 'cut'} title={text}>
      {text}
    </bdi>
  );
}

function textIn(thing: Thing, column: Column, { groups, profiles }: Names): string {
  const texts: Partial<Record<Column['kind'], string | undefined>> = {
    group: groups.get(thing.group_id),
    profile: profiles.get(thing.profile_id),
    type: thingsTexts.types[thing.type],
    id: thing.id,
    external: thing.external_key,
    metadata: column.kind === 'metadata' ? memberIn(thing, column.key) : '',
  };
  return texts[column.kind] ?? '';
}

function memberIn({ metadata }: Thing, key: string): string {
  const value: unknown = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return value === undefined ? '' : textOfValue(value);
}

type SeriesValue = NonNullable<ReturnType<Told['get']>>['series'][number];

function Value({ one }: { one: SeriesValue }) {
  const { value, string_value: text, bool_value: is, unit = '' } = one;
  const whole = value === undefined ? (text ?? String(is)) : write(value);
  const isShort = value !== undefined && whole.length > numberMax;
  const isOld = one.time * 1_000 < Date.now() - dayMs;
  return (
    <>
      <bdi class={isOld ? 'measured muted' : 'measured'} title={`${whole} ${unitText(unit)}`}>
        <span class={value === undefined ? 'cut' : 'amount'}>
          {isShort ? shortWhole(value) : whole}
        </span>{' '}
        <span class="cut muted">{unitText(unit)}</span>
      </bdi>{' '}
      {isOld && (
        <small class="muted">
          <Ago time={new Date(one.time * 1_000).toISOString()} />
        </small>
      )}
    </>
  );
}

function Rate({ messages }: { messages: number | undefined }) {
  if (messages === undefined) return <>–</>;
  return <span title={messages.toLocaleString('en')}>{short(messages)}</span>;
}

/** Its state as a word, without colour while all is as usual. */
function StateMark({ lastSeen }: { lastSeen: string | null }) {
  const state = stateOf(lastSeen, Date.now());
  return (
    <span class="mark-of-state" data-state={state} title={thingsTexts.statesMean[state]}>
      {state === 'silent' && <Icon name="warning" />}
      {thingsTexts.states[state]}
    </span>
  );
}
