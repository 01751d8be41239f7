import type { Alarm, Requests } from '../client/call.ts';
import { choose, type Query } from '../router.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { Choice } from '../ui/field.tsx';
import { pageLimit } from '../ui/table.tsx';

const words = alarmsTexts;

const states = ['open', 'firing', 'clearing', 'ended', 'all'] as const;
const severities = ['all', 'critical', 'warning', 'info'] as const;
const seens = ['all', 'false', 'true'] as const;
const orders = ['newest', 'severity'] as const;

const oneOf = <Value extends string>(all: readonly Value[], given: string | undefined, or: Value) =>
  all.find((one) => one === given) ?? or;

/** The filters in the address. */
export function filtersOf(query: Query) {
  return {
    state: oneOf(states, query['state'], 'open'),
    severity: oneOf(severities, query['severity'], 'all'),
    rule: /^[0-9a-f-]{36}$/i.test(query['rule'] ?? '') ? (query['rule'] ?? '') : '',
    seen: oneOf(seens, query['acknowledged'], 'all'),
    order: oneOf(orders, query['order'], 'newest'),
  };
}

export type Filters = ReturnType<typeof filtersOf>;
type AlarmQuery = NonNullable<Requests['listOrgAlarms']['query']>;
type FileQuery = NonNullable<Requests['exportOrgAlarms']['query']>;

export const isFiltered = ({ state, severity, rule, seen }: Filters): boolean =>
  state !== 'open' || severity !== 'all' || rule !== '' || seen !== 'all';

/** The filters as the API takes them, of lists and of files. */
export function fileQueryOf({ state, severity, rule, seen }: Filters): FileQuery {
  return {
    ...(state === 'all' ? {} : { state }),
    ...(severity === 'all' ? {} : { severity }),
    ...(rule === '' ? {} : { rule_id: rule }),
    ...(seen === 'all' ? {} : { acknowledged: seen === 'true' }),
  };
}

export function alarmQueryOf(filters: Filters, offset: number): AlarmQuery {
  return {
    ...fileQueryOf(filters),
    offset,
    limit: pageLimit,
    order: filters.order === 'severity' ? 'severity' : 'fired_at',
    dir: 'desc',
  };
}

const optionsOf = <Value extends string>(
  values: readonly Value[],
  named: Readonly<Record<Value, string>>,
) => values.map((value) => ({ value, text: named[value] }));

/** A rule of which alarms are known. */
export type KnownRule = Pick<Alarm, 'rule_id' | 'rule_name'>;

/** Chooses which alarms show, and in which order. */
export function FilterBar({ filters, rules }: { filters: Filters; rules: readonly KnownRule[] }) {
  const { state, severity, rule, seen, order } = filters;
  const change = (query: Query) => choose({ ...query, offset: undefined }, 'replace');
  return (
    <header class="filters">
      <Choice
        label={words.state}
        value={state}
        options={optionsOf(states, words.stateChoices)}
        onChoose={(value) => change({ state: value === 'open' ? undefined : value })}
      />
      <Choice
        label={words.severity}
        value={severity}
        options={optionsOf(severities, words.severityChoices)}
        onChoose={(value) => change({ severity: value === 'all' ? undefined : value })}
      />
      {(rules.length > 1 || rule !== '') && (
        <Choice
          label={words.rule}
          value={rule}
          options={[
            { value: '', text: words.everyRule },
            ...rules.map(({ rule_id: id, rule_name: name }) => ({ value: id, text: name })),
          ]}
          onChoose={(value) => change({ rule: value })}
        />
      )}
      <Choice
        label={words.seen}
        value={seen}
        options={optionsOf(seens, words.seenChoices)}
        onChoose={(value) => change({ acknowledged: value === 'all' ? undefined : value })}
      />
      <Choice
        label={words.order}
        value={order}
        options={optionsOf(orders, words.orders)}
        onChoose={(value) => change({ order: value === 'newest' ? undefined : value })}
      />
    </header>
  );
}
