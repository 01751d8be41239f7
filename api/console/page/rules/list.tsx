import { useListKeys } from '../alarms/keys.ts';
import { sentenceOf } from '../alarms/sentence.ts';
import { Severity } from '../alarms/severity.tsx';
import { AlarmTabs } from '../alarms/tabs.tsx';
import { call, type Rule } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { type ListPlace, usePlace, usePlaces } from '../place/places.ts';
import { type May, useMay } from '../roles.ts';
import { address, choose, linkTo } from '../router.ts';
import { rulesTexts } from '../texts/rules.ts';
import { thingsTexts } from '../texts/things.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Search } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Column, pageLimit, pageOffset, Pager, Table } from '../ui/table.tsx';
import { Firing, RuleState } from './actions.tsx';

const words = rulesTexts;

/** The rules of a group: what each watches, and for how many things it fires. */
export default function RuleList() {
  const reading = usePlaces(userIn(session.value), 'all');
  const groups = reading.value?.filter(({ of }) => of === 'group');
  const chosen = usePlace(groups);
  const may = useMay(chosen);
  return (
    <>
      <PageHead title={words.title}>
        {chosen !== undefined && may('createRule') && <Make group={chosen.id} />}
      </PageHead>
      <AlarmTabs current="rules" />
      <Loaded reading={reading}>
        {() =>
          chosen === undefined ? (
            <Empty title={words.noGroup} text={words.noGroupText} />
          ) : (
            <Rules key={chosen.id} group={chosen} may={may} />
          )
        }
      </Loaded>
    </>
  );
}

function Make({ group }: { group: string }) {
  return (
    <ButtonLink kind="primary" icon="plus" href={linkTo('/rules/new', { group })}>
      {words.make}
    </ButtonLink>
  );
}

function Rules({ group: { id }, may }: { group: ListPlace; may: May }) {
  const { name = '' } = address.value.query;
  const offset = pageOffset();
  const list = useListKeys({});
  const reading = useRead(`${id} ${name} ${offset}`, (signal) => {
    const query = { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } as const;
    return call('listGroupRules', { path: { id }, query }, signal);
  });
  return (
    <Panel flush>
      <header class="filters">
        <Search
          label={thingsTexts.search}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
      </header>
      <Loaded reading={reading}>
        {({ rules, total }) =>
          total === 0 ? (
            <None isSearched={name !== ''} mayMake={may('createRule')} group={id} />
          ) : (
            <div ref={list.ref} onFocusIn={list.onFocusIn} class="rules">
              <Table columns={columns} rows={rules} keyOf={(rule) => rule.id} />
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

function None(props: { isSearched: boolean; mayMake: boolean; group: string }) {
  const { isSearched, mayMake, group } = props;
  if (isSearched) return <Empty title={words.noneSuch} />;
  return (
    <Empty title={words.none} text={mayMake ? words.noneText : words.noneToLookAt}>
      {mayMake && <Make group={group} />}
    </Empty>
  );
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
