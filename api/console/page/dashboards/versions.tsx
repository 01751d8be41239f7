import {
  call,
  type Dashboard,
  type DashboardVersion,
  type DashboardVersions,
} from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

const words = dashboardsTexts;

/** Who saved a dashboard, and when; each version can be looked at, and from there be brought back. */
export function Versions({
  dashboard: { id, version: current },
  onLook,
  onClose,
}: {
  dashboard: Dashboard;
  onLook: (version: DashboardVersion) => void;
  onClose: () => void;
}) {
  const reading = useRead(id, (signal) => call('listDashboardVersions', { path: { id } }, signal));
  const { failure, run } = useAction();
  const look = (version: number) =>
    run(async () => {
      const path = { id, version: String(version) };
      onLook(await call('viewDashboardVersion', { path }));
    });
  return (
    <Dialog title={words.versions} onClose={onClose}>
      <p class="muted">{words.versionsText}</p>
      <Notice failure={failure} />
      <Loaded reading={reading}>
        {({ versions }) => (
          <Table
            label={words.versions}
            rows={versions}
            keyOf={({ version }) => String(version)}
            columns={columnsFor(current, (version) => void look(version))}
          />
        )}
      </Loaded>
      <div class="actions">
        <Button onClick={onClose}>{words.back}</Button>
      </div>
    </Dialog>
  );
}

type Row = DashboardVersions['versions'][number];

const columnsFor = (current: number, look: (version: number) => void): Column<Row>[] => [
  {
    head: words.versions,
    kind: 'name',
    cell: ({ version, name }) => (
      <>
        {words.version(version)}
        <bdi class="cut small muted">{name}</bdi>
      </>
    ),
  },
  { head: words.changed, cell: ({ saved_at: at }) => <Ago time={at} /> },
  {
    head: words.by,
    isExtra: true,
    cell: ({ saved_by_email: by }) => <bdi class="muted break">{by ?? words.somebody}</bdi>,
  },
  {
    head: words.look,
    cell: ({ version }) =>
      version === current ? (
        <span class="muted">{words.current}</span>
      ) : (
        <Button label={`${words.look}: ${words.version(version)}`} onClick={() => look(version)}>
          {words.look}
        </Button>
      ),
  },
];
