import { useListKeys } from '../alarms/keys.ts';
import { sentenceOf } from '../alarms/sentence.ts';
import { Severity } from '../alarms/severity.tsx';
import { AlarmTabs } from '../alarms/tabs.tsx';
import { type Answers, call, type Requests, type Rule } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { groupsIn, type ListPlace, placeAmong, usePlaces } from '../place/places.ts';
import { type RolePlace, useMayIn } from '../roles.ts';
import { address, choose, linkTo } from '../router.ts';
import { partsTexts } from '../texts/parts.ts';
import { rulesTexts } from '../texts/rules.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Search } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Column, pageLimit, pageOffset, Pager, Table } from '../ui/table.tsx';
import { Firing, RuleState } from './actions.tsx';

const words = rulesTexts;

/** The rules of a group, an org, or all that one sees: what each watches, and for how many things it fires. */
export default function RuleList() {
  const reading = usePlaces(userIn(session.value), 'all');
  const places = reading.value ?? [];
  const place = placeAmong(places);
  const groups = groupsIn(places, place);
  const mayMake = useMayMake(groups);
  return (
    <>
      <PageHead title={words.title}>
        {mayMake && (
          <ButtonLink kind="primary" icon="plus" href={linkTo('/rules/new')}>
            {words.make}
          </ButtonLink>
        )}
      </PageHead>
      <AlarmTabs current="rules" />
      <Loaded reading={reading}>
        {() =>
          groups.length === 0 ? (
            <Empty title={words.noGroup} text={words.noGroupText} />
          ) : (
            <Rules key={place?.id} place={place} groups={groups} mayMake={mayMake} />
          )
        }
      </Loaded>
    </>
  );
}

/** Of so many groups one's roles are asked. Who sees more may find out. */
const askedMax = 20;

/** Whether one may make a rule in any of these. */
function useMayMake(groups: readonly ListPlace[]): boolean {
  const asked = groups.slice(0, askedMax).map(({ id }) => id);
  const mayIn = useMayIn(asked);
  return groups.length > askedMax || asked.some((id) => mayIn(id, 'createRule'));
}

function readRules(
  place: RolePlace | undefined,
  query: NonNullable<Requests['listRules']['query']>,
  signal: AbortSignal,
): Promise<Answers['listRules']> {
  if (place === undefined) return call('listRules', { query }, signal);
  const request = { path: { id: place.id }, query };
  return call(place.of === 'org' ? 'listOrgRules' : 'listGroupRules', request, signal);
}

type RulesProps = {
  place: RolePlace | undefined;
  groups: readonly ListPlace[];
  mayMake: boolean;
};

function Rules({ place, groups, mayMake }: RulesProps) {
  const { name = '' } = address.value.query;
  const offset = pageOffset();
  const list = useListKeys({});
  const reading = useRead(`${place?.id} ${name} ${offset}`, (signal) => {
    const query = { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    return readRules(place, query, signal);
  });
  const names = new Map(groups.map(({ id, name: group }) => [id, group]));
  return (
    <Panel flush>
      <header class="filters">
        <Search
          label={partsTexts.searchName}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
      </header>
      <Loaded reading={reading}>
        {({ rules, total }) =>
          total === 0 ? (
            <None isSearched={name !== ''} mayMake={mayMake} />
          ) : (
            <div ref={list.ref} onFocusIn={list.onFocusIn} class="rules">
              <Table
                columns={groups.length === 1 ? columns : columnsWith(names)}
                rows={rules}
                keyOf={(rule) => rule.id}
              />
              <Pager
                offset={offset}
                limit={pageLimit}
                total={total}
                onOffset={(to) => choose({ offset: to === 0 ? undefined : String(to) })}
              />
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function None({ isSearched, mayMake }: { isSearched: boolean; mayMake: boolean }) {
  if (isSearched) return <Empty title={words.noneSuch} />;
  return <Empty title={words.none} text={mayMake ? words.noneText : words.noneToLookAt} />;
}

const columns: readonly Column<Rule>[] = [
  {
    head: words.name,
    kind: 'name',
    cell: (rule) => (
      <>
        <a href={`#/rules/${rule.id}`} data-row={rule.id}>
          <bdi class="cut" title={rule.name}>
            {rule.name}
          </bdi>
        </a>
        <bdi class="cut small muted phone-only">{sentenceOf(rule)}</bdi>
      </>
    ),
  },
  {
    head: words.watches,
    isExtra: true,
    cell: (rule) => (
      <bdi class="cut watched" title={sentenceOf(rule)}>
        {sentenceOf(rule)}
      </bdi>
    ),
  },
  { head: words.severity, cell: (rule) => <Severity severity={rule.severity} /> },
  { head: words.firing, cell: (rule) => <Firing rule={rule} /> },
  { head: words.state, isExtra: true, cell: (rule) => <RuleState rule={rule} /> },
];

/** The same, with the name of each one's group. */
const columnsWith = (groups: ReadonlyMap<string, string>): readonly Column<Rule>[] => [
  ...columns.slice(0, 1),
  {
    head: words.group,
    isExtra: true,
    cell: ({ group_id: id }) => <bdi class="cut">{groups.get(id) ?? ''}</bdi>,
  },
  ...columns.slice(1),
];
