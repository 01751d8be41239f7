import { useState } from 'preact/hooks';
import { call, type Dashboard, type DashboardVersion } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { type RolePlace, useMay } from '../roles.ts';
import { choose, goTo, linkTo, type PageProps } from '../router.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Question } from '../ui/dialog.tsx';
import { PageHead } from '../ui/page.tsx';
import { Empty, Loaded, Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { RangeChoice, VariableChoices } from './controls.tsx';
import { type Draft, partsOf } from './draft.ts';
import { Editor, editTools, type Opened } from './editor.tsx';
import { JsonDialog } from './json-dialog.tsx';
import { LiveGrid } from './live-grid.tsx';
import { Sharing } from './sharing.tsx';
import { Versions } from './versions.tsx';
import { useWall } from './wall.ts';

const words = dashboardsTexts;

/** One dashboard: looked at, or edited. */
export default function DashboardPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewDashboard', { path: { id } }, signal));
  const [changed, setChanged] = useState<Dashboard>();
  return (
    <Loaded reading={reading} isPage>
      {(read) => <One dashboard={changed ?? read} onChanged={setChanged} />}
    </Loaded>
  );
}

/** The panels stay as they are, with what they show, while all around them changes for the editor. */
function One({
  dashboard,
  onChanged,
}: {
  dashboard: Dashboard;
  onChanged: (dashboard: Dashboard) => void;
}) {
  const may = useMay(placeOf(dashboard))('updateDashboard');
  const [draft, setDraft] = useState<Draft>();
  const [version, setVersion] = useState<DashboardVersion>();
  const [opened, setOpened] = useState<Opened>();
  const change = (to?: Dashboard) => {
    setDraft(undefined);
    setVersion(undefined);
    if (to !== undefined) onChanged(to);
  };
  const editing =
    draft &&
    editTools(draft.content.panels, {
      onPanels: (panels) =>
        setDraft((before) => before && { ...before, content: { ...before.content, panels } }),
      onEdit: (panel) => setOpened({ kind: 'panel', panel, isNew: false }),
    });
  return (
    <>
      {draft === undefined ? (
        <Viewer
          dashboard={dashboard}
          version={version}
          mayEdit={may}
          onLook={setVersion}
          onEdit={(of) => {
            setVersion(undefined);
            setDraft(partsOf(of));
          }}
          onRestored={change}
        />
      ) : (
        <Editor
          dashboard={dashboard}
          draft={draft}
          onDraft={setDraft}
          open={opened}
          onOpen={setOpened}
          onDone={change}
        />
      )}
      <Content
        place={dashboard}
        shown={draft ?? version ?? dashboard}
        mayEdit={may}
        editing={editing}
      />
    </>
  );
}

type Open = 'versions' | 'json' | 'share' | 'remove';

/** All around the panels of a dashboard that is looked at. */
function Viewer({
  dashboard,
  version,
  mayEdit: may,
  onLook,
  onEdit: edit,
  onRestored,
}: {
  dashboard: Dashboard;
  /** A former one, which is looked at instead. */
  version: DashboardVersion | undefined;
  mayEdit: boolean;
  onLook: (version: DashboardVersion | undefined) => void;
  onEdit: (draft: Draft) => void;
  onRestored: (dashboard: Dashboard) => void;
}) {
  const place = placeOf(dashboard);
  const [open, setOpen] = useState<Open>();
  const isWall = useWall();
  const shown = version ?? dashboard;
  return (
    <>
      {!isWall && (
        <>
          <PageHead title={shown.name} trail={[{ text: words.title, href: listOf(place) }]}>
            <Tools mayEdit={may} onEdit={() => edit(shown)} onOpen={setOpen} />
          </PageHead>
          <p class="muted dashboard-about">{shown.description}</p>
          <div class="row dashboard-controls">
            <VariableChoices of={dashboard} variables={shown.content.variables ?? []} />
            <RangeChoice content={shown.content} />
          </div>
        </>
      )}
      {version !== undefined && (
        <Looking
          version={version}
          mayEdit={may}
          onBack={() => onLook(undefined)}
          onRestore={async () => onRestored(await restored(dashboard, version))}
        />
      )}
      <Dialogs
        open={open}
        dashboard={dashboard}
        shown={shown}
        {...(may ? { onTake: edit } : {})}
        onLook={(one) => onLook(one.version === dashboard.version ? undefined : one)}
        onRemoved={() => goTo('/dashboards', { [place.of]: place.id })}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

function Content({
  place,
  shown: { content },
  mayEdit,
  editing,
}: {
  place: Dashboard;
  shown: Draft;
  mayEdit: boolean;
  editing: ReturnType<typeof editTools> | undefined;
}) {
  if (content.panels.length > 0) return <LiveGrid content={content} place={place} {...editing} />;
  const text = mayEdit ? words.emptyEdit : words.emptyRead;
  return <Empty title={words.empty} text={editing === undefined ? text : words.emptyText} />;
}

function Dialogs({
  open,
  dashboard,
  shown,
  onTake,
  onLook,
  onRemoved,
  onClose,
}: {
  open: Open | undefined;
  dashboard: Dashboard;
  shown: Draft;
  onTake?: (draft: Draft) => void;
  onLook: (version: DashboardVersion) => void;
  onRemoved: () => void;
  onClose: () => void;
}) {
  if (open === 'versions') {
    const look = (version: DashboardVersion) => {
      onLook(version);
      onClose();
    };
    return <Versions dashboard={dashboard} onLook={look} onClose={onClose} />;
  }
  if (open === 'json') {
    const taking = onTake === undefined ? {} : { onTake };
    return <JsonDialog dashboard={shown} {...taking} onClose={onClose} />;
  }
  if (open === 'share') return <Sharing dashboard={dashboard} onClose={onClose} />;
  if (open === undefined) return null;
  return (
    <Question
      operation="deleteDashboard"
      request={() => ({ path: { id: dashboard.id } })}
      title={`${words.remove}: ${dashboard.name}`}
      text={words.removeText}
      action={words.remove}
      onDone={() => {
        say(words.removed);
        onRemoved();
      }}
      onClose={onClose}
    />
  );
}

function placeOf({ org_id: orgId = '', group_id: groupId }: Dashboard): RolePlace {
  return groupId === undefined ? { of: 'org', id: orgId } : { of: 'group', id: groupId };
}

/** Makes a dashboard again what it was. */
async function restored({ id, version }: Dashboard, to: DashboardVersion): Promise<Dashboard> {
  const path = { id };
  await call('updateDashboard', { path, body: { version, ...partsOf(to) } });
  say(words.restored);
  return call('viewDashboard', { path });
}

const listOf = ({ of, id }: { of: string; id: string }) => linkTo('/dashboards', { [of]: id });

function Tools({
  mayEdit,
  onEdit,
  onOpen,
}: {
  mayEdit: boolean;
  onEdit: () => void;
  onOpen: (what: Open) => void;
}) {
  return (
    <>
      <Button icon="wall" label={words.wall} onClick={() => choose({ wall: 'on' })} />
      <Button onClick={() => onOpen('versions')}>{words.versions}</Button>
      <Button onClick={() => onOpen('json')}>{words.json}</Button>
      {mayEdit && (
        <>
          <Button onClick={() => onOpen('share')}>{words.share}</Button>
          <Button kind="danger" onClick={() => onOpen('remove')}>
            {words.remove}
          </Button>
          <Button kind="primary" onClick={onEdit}>
            {words.edit}
          </Button>
        </>
      )}
    </>
  );
}

/** Stands above a former version. */
function Looking({
  version,
  mayEdit,
  onBack,
  onRestore,
}: {
  version: DashboardVersion;
  mayEdit: boolean;
  onBack: () => void;
  onRestore: () => Promise<void>;
}) {
  const { saved_by_email: by = words.somebody } = version;
  const { failure, isBusy, run } = useAction();
  return (
    <div class="panel dashboard-former" role="status">
      <span>{words.lookingAt(version.version, by)}</span>
      <Notice failure={failure} />
      <span class="row">
        <Button onClick={onBack}>{words.back}</Button>
        {mayEdit && (
          <Button kind="primary" disabled={isBusy} onClick={() => void run(onRestore)}>
            {words.restore}
          </Button>
        )}
      </span>
    </div>
  );
}
