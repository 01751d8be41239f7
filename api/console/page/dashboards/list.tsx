import { call, type DashboardSummary } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { PlaceChoice } from '../place/choice.tsx';
import { type ListPlace, onlyPlace, usePlaces } from '../place/places.ts';
import { useMay } from '../roles.ts';
import { address, choose, linkTo } from '../router.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { partsTexts } from '../texts/parts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Search } from '../ui/field.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

const words = dashboardsTexts;

/** The dashboards of an org, with those of one's groups in it, or of a group. */
export default function DashboardList() {
  const reading = usePlaces(userIn(session.value), 'all');
  const chosen = onlyPlace(reading.value);
  const may = useMay(chosen);
  const mayMake = may(chosen?.of === 'org' ? 'createOrgDashboard' : 'createGroupDashboard');
  return (
    <>
      <PageHead title={words.title}>
        {chosen !== undefined && mayMake && (
          <ButtonLink kind="primary" icon="plus" href={linkTo('/dashboards/new')}>
            {words.make}
          </ButtonLink>
        )}
      </PageHead>
      <Loaded reading={reading}>
        {(all) =>
          chosen === undefined ? (
            <PlaceChoice places={all}>
              <Empty title={words.noPlace} text={words.noPlaceText} />
            </PlaceChoice>
          ) : (
            <Listed key={chosen.id} place={chosen} />
          )
        }
      </Loaded>
    </>
  );
}

function Listed({ place: { of, id } }: { place: ListPlace }) {
  const offset = pageOffset();
  const name = address.value.query['name'] ?? '';
  const reading = useRead(`${id} ${name} ${offset}`, (signal) =>
    call(
      of === 'org' ? 'listOrgDashboards' : 'listGroupDashboards',
      { path: { id }, query: { name, offset, limit: pageLimit, order: 'name', dir: 'asc' } },
      signal,
    ),
  );
  return (
    <Panel flush>
      <header class="filters">
        <Search
          label={partsTexts.searchName}
          value={name}
          onSearch={(text) => choose({ name: text, offset: undefined }, 'replace')}
        />
      </header>
      <PagedTable
        reading={reading}
        rowsOf={({ dashboards }) => dashboards}
        keyOf={(dashboard) => dashboard.id}
        columns={columns}
        none={{ title: words.none, text: words.noneText }}
      />
    </Panel>
  );
}

const columns: readonly Column<DashboardSummary>[] = [
  {
    head: words.name,
    kind: 'name',
    cell: ({ id, name, description }) => (
      <>
        <a href={linkTo(`/dashboards/${id}`)}>
          <bdi class="cut">{name}</bdi>
        </a>
        {description !== '' && <bdi class="cut small muted">{description}</bdi>}
      </>
    ),
  },
  { head: words.panels, kind: 'number', cell: ({ panels }) => panels },
  {
    head: words.where,
    isExtra: true,
    cell: ({ org_id: org }) => (org === undefined ? words.ofGroup : words.ofOrg),
  },
  { head: words.changed, cell: ({ updated_at: at }) => <Ago time={at} /> },
  {
    head: words.by,
    isExtra: true,
    cell: ({ saved_by_email: email }) => <bdi class="muted break">{email}</bdi>,
  },
];
