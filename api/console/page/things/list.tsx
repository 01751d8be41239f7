import { useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { address, choose, goTo, linkTo, type Query } from '../router.ts';
import { importingTexts } from '../texts/importing.ts';
import { partsTexts } from '../texts/parts.ts';
import { thingsTexts } from '../texts/things.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { ExportButton, SelectionBar } from './bulk.tsx';
import { columnsOf } from './columns.ts';
import { type Filters, filtersOf, isFiltered, orders, states, types } from './list-filters.ts';
import { NewThing } from './new-thing.tsx';
import { NoThings, useStanding } from './no-things.tsx';
import { type Rows, useRows } from './read-things.ts';
import { nothing, type Selection } from './selection.ts';
import { ThingTable } from './table.tsx';
import { ColumnsDialog, SavedViews } from './views.tsx';

/** As many as a list gives at once. */
const namesMax = 200;

/** The things one may see. */
export default function ThingList() {
  const [isMaking, setMaking] = useState(false);
  const filters = filtersOf(address.value.query);
  const rows = useRows(filters);
  const { first } = rows;
  // Keys show to those who may make things.
  const hasKeys = rows.rows.some(({ key }) => key !== undefined);
  const standing = useStanding(first.value !== undefined && !hasKeys);
  const mayMake = hasKeys || standing.value?.mayMake === true;
  const noThings = <Loaded reading={standing}>{(known) => <NoThings standing={known} />}</Loaded>;
  return (
    <>
      <PageHead title={thingsTexts.title}>
        {mayMake && (
          <>
            <ButtonLink href={linkTo('/things/import')}>{importingTexts.open}</ButtonLink>
            <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
              {thingsTexts.make}
            </Button>
          </>
        )}
      </PageHead>
      <Panel flush>
        <FilterBar filters={filters} />
        <Loaded reading={first}>
          {({ total }) => {
            if (total > 0)
              return (
                <Fleet
                  // Chosen under other filters, nothing is chosen any more.
                  key={JSON.stringify(filters)}
                  rows={rows}
                  filters={filters}
                  mayChange={hasKeys}
                />
              );
            return isFiltered(filters) || filters.group !== '' ? <NoMatch /> : noThings;
          }}
        </Loaded>
      </Panel>
      {isMaking && <NewThing onClose={() => setMaking(false)} />}
    </>
  );
}

/** The names of groups and profiles, by their ids. */
function useNames() {
  const { value } = useRead('', async (signal) => {
    const query = { limit: namesMax, order: 'name', dir: 'asc' } as const;
    const [{ groups }, { profiles }] = await Promise.all([
      call('listGroups', { query }, signal),
      call('listProfiles', { query }, signal),
    ]);
    const byId = (all: readonly { id: string; name: string }[]) =>
      new Map(all.map(({ id, name }) => [id, name]));
    return { groups: byId(groups), profiles: byId(profiles) };
  });
  return value ?? { groups: new Map<string, string>(), profiles: new Map<string, string>() };
}

/** The list, with what is done with those of it that are chosen. */
function Fleet(props: { rows: Rows; filters: Filters; mayChange: boolean }) {
  const { rows, filters, mayChange } = props;
  const [selection, setSelection] = useState<Selection>(nothing);
  const [isChoosing, setChoosing] = useState(false);
  const names = useNames();
  const columns = columnsOf(address.value.query['columns']);
  const { isLoading } = rows.first;
  const { total = 0, total_is_least: isMore = false } = rows.first.value ?? {};
  return (
    <>
      <div class="row spread tools">
        <span class="muted" role="status">
          {thingsTexts.list.total(total, isMore)}
        </span>
        <span class="row">
          <SavedViews />
          <Button kind="quiet" onClick={() => setChoosing(true)}>
            {thingsTexts.list.columns}
          </Button>
          <ExportButton filters={filters} />
        </span>
      </div>
      {mayChange && !isLoading && (
        <SelectionBar
          selection={selection}
          filters={filters}
          total={total}
          isMore={isMore}
          mayChooseAll={rows.hasMore}
          onSelect={setSelection}
          onDone={rows.first.again}
        />
      )}
      <ThingTable
        rows={rows}
        filters={filters}
        columns={columns}
        names={names}
        selection={mayChange ? selection : undefined}
        // The rows that still show are those of the filters before.
        onSelect={isLoading ? ignore : setSelection}
      />
      {isChoosing && (
        <ColumnsDialog
          columns={columns}
          onChange={(text) => choose({ columns: text }, 'replace')}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}

const ignore = () => undefined;

function NoMatch() {
  return (
    <Empty title={thingsTexts.noMatch}>
      <Button onClick={() => goTo('/things')}>{partsTexts.clear}</Button>
    </Empty>
  );
}

function FilterBar({ filters }: { filters: Filters }) {
  const things = thingsTexts;
  const { text, type, state, order } = filters;
  const change = (query: Query) => choose(query, 'replace');
  return (
    <header class="filters">
      <Search label={things.search} value={text} onSearch={(name) => change({ name })} />
      <Place filters={filters} />
      {filters.group !== '' && <Profile filters={filters} />}
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
        onChoose={(value) =>
          change({ order: value === 'name' ? undefined : value, dir: undefined })
        }
      />
    </header>
  );
}

/** An org, or a group. */
function Place({ filters: { org, group } }: { filters: Filters }) {
  const words = thingsTexts.list;
  const { value } = useRead('', async (signal) => {
    const query = { limit: namesMax, order: 'name', dir: 'asc' } as const;
    const [{ orgs }, { groups }] = await Promise.all([
      call('listOrgs', { query }, signal),
      call('listGroups', { query }, signal),
    ]);
    return { orgs, groups };
  });
  const { orgs = [], groups = [] } = value ?? {};
  if (groups.length < 2 && group === '' && org === '') return null;
  const orgNames = new Map(orgs.map(({ id, name }) => [id, name]));
  return (
    <Choice
      label={thingsTexts.group}
      value={group === '' ? (org === '' ? '' : `org ${org}`) : `group ${group}`}
      options={[
        { value: '', text: thingsTexts.everyGroup },
        ...orgs.map(({ id, name }) => ({ value: `org ${id}`, text: name, under: words.orgs })),
        ...groups.map(({ id, name, org_id: of }) => ({
          value: `group ${id}`,
          text: name,
          under: orgNames.get(of) ?? words.groups,
        })),
      ]}
      onChoose={(chosen) => {
        const [of, id] = chosen.split(' ');
        choose(
          {
            org: of === 'org' ? id : undefined,
            group: of === 'group' ? id : undefined,
            profile: undefined,
          },
          'replace',
        );
      }}
    />
  );
}

function Profile({ filters: { group, profile } }: { filters: Filters }) {
  const { value } = useRead(group, (signal) =>
    call(
      'listGroupProfiles',
      { path: { id: group }, query: { limit: namesMax, order: 'name', dir: 'asc' } },
      signal,
    ),
  );
  return (
    <Choice
      label={thingsTexts.profile}
      value={profile}
      options={[
        { value: '', text: thingsTexts.list.everyProfile },
        ...(value?.profiles ?? []).map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChoose={(id) => choose({ profile: id }, 'replace')}
    />
  );
}
