import { ApiError } from '../../../../schemas/client/errors.ts';
import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { panelsMax } from '../../../../schemas/dashboards/members.ts';
import { call, type Dashboard, type DashboardChange } from '../client/call.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PageHead } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import { type Draft, panelBelow, partsOf } from './draft.ts';
import { bottom, type Place, placed, removed } from './grid.ts';
import { Corner, Grip } from './moving.tsx';
import { PanelForm } from './panel-form.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useLeaving } from './use-leaving.ts';

const words = dashboardsTexts;

/** The dialog that is open over an editor. */
export type Opened =
  | { kind: 'panel'; panel: Panel; isNew: boolean }
  | { kind: 'settings' }
  | { kind: 'discard' }
  | { kind: 'late'; theirs: Dashboard };

/** All around the panels of a dashboard that is edited: nothing is saved before one says so. */
export function Editor({
  dashboard,
  draft,
  onDraft,
  open,
  onOpen,
  onDone,
}: {
  dashboard: Dashboard;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  open: Opened | undefined;
  onOpen: (what: Opened | undefined) => void;
  /** With what the dashboard has become, if it has. */
  onDone: (changed?: Dashboard) => void;
}) {
  const { failure, isBusy, run } = useAction();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(partsOf(dashboard));
  useLeaving(isChanged);
  const { panels } = draft.content;
  const save = (version: number) =>
    run(async () => {
      const { now, isLate } = await saved(dashboard.id, { version, ...draft });
      if (isLate) return onOpen({ kind: 'late', theirs: now });
      say(words.saved);
      return onDone(now);
    });
  return (
    <>
      <PageHead title={draft.name}>
        {isChanged && <span class="small muted">{words.unsaved}</span>}
        <Button
          icon="plus"
          disabled={panels.length >= panelsMax}
          onClick={() => onOpen({ kind: 'panel', panel: panelBelow(panels, {}), isNew: true })}
        >
          {words.addPanel}
        </Button>
        <Button onClick={() => onOpen({ kind: 'settings' })}>{words.settings}</Button>
        <Button onClick={() => (isChanged ? onOpen({ kind: 'discard' }) : onDone())}>
          {words.discard}
        </Button>
        <Button
          kind="primary"
          disabled={isBusy || !isChanged}
          onClick={() => void save(dashboard.version)}
        >
          {words.save}
        </Button>
      </PageHead>
      <Notice failure={failure} />
      <EditorDialogs
        open={open}
        place={dashboard}
        draft={draft}
        onDraft={onDraft}
        onSave={(version) => void save(version)}
        onDone={(changed) => {
          onOpen(undefined);
          onDone(changed);
        }}
        onClose={() => onOpen(undefined)}
      />
    </>
  );
}

/** Saves it, and gives the dashboard that there is now: that of somebody else, where they were quicker. */
async function saved(id: string, body: DashboardChange) {
  const isLate = await call('updateDashboard', { path: { id }, body }).then(
    () => false,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 409) return true;
      throw error;
    },
  );
  return { isLate, now: await call('viewDashboard', { path: { id } }) };
}

function EditorDialogs({
  open,
  place,
  draft,
  onDraft,
  onSave,
  onDone,
  onClose,
}: {
  open: Opened | undefined;
  place: Dashboard;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onSave: (version: number) => void;
  onDone: (changed?: Dashboard) => void;
  onClose: () => void;
}) {
  if (open === undefined) return null;
  const { content } = draft;
  if (open.kind === 'panel') {
    const apply = (panel: Panel) => {
      const changed = content.panels.map((one) => (one.id === panel.id ? panel : one));
      const panels = open.isNew ? [...content.panels, panel] : changed;
      onDraft({ ...draft, content: { ...content, panels } });
    };
    return (
      <PanelForm {...open} place={place} content={content} onApply={apply} onClose={onClose} />
    );
  }
  if (open.kind === 'settings') {
    return <SettingsForm draft={draft} place={place} onApply={onDraft} onClose={onClose} />;
  }
  if (open.kind === 'discard') return <Discard onDone={() => onDone()} onClose={onClose} />;
  const { theirs } = open;
  const over = () => {
    onClose();
    onSave(theirs.version);
  };
  return <Late theirs={theirs} onOver={over} onTheirs={() => onDone(theirs)} onClose={onClose} />;
}

function Discard({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  return (
    <Dialog title={words.discardAsk} onClose={onClose}>
      <p class="muted">{words.discardText}</p>
      <div class="actions">
        <Button onClick={onClose}>{words.edit}</Button>
        <Button kind="danger" onClick={onDone}>
          {words.discard}
        </Button>
      </div>
    </Dialog>
  );
}

/** Somebody else has saved the dashboard meanwhile. */
function Late({
  theirs,
  onOver,
  onTheirs,
  onClose,
}: {
  theirs: Dashboard;
  onOver: () => void;
  onTheirs: () => void;
  onClose: () => void;
}) {
  const { version, saved_by_email: by = words.somebody } = theirs;
  return (
    <Dialog title={words.late} onClose={onClose}>
      <p>{words.lateText(version, by)}</p>
      <p class="muted">{words.overText}</p>
      <div class="actions">
        <Button kind="danger" onClick={onTheirs}>
          {words.takeTheirs}
        </Button>
        <Button kind="primary" onClick={onOver}>
          {words.saveOver}
        </Button>
      </div>
    </Dialog>
  );
}

/** The tools of each panel that is edited: they move, resize, copy and remove it. */
export function editTools(
  panels: readonly Panel[],
  { onPanels, onEdit }: { onPanels: (panels: Panel[]) => void; onEdit: (panel: Panel) => void },
) {
  const move = (id: string) => (place: Place) => onPanels(placed(panels, id, place));
  return {
    tools: (panel: Panel, name: string) => (
      <>
        <Grip panels={panels} panel={panel} name={name} onMove={move(panel.id)} />
        <Button
          kind="quiet"
          icon="edit"
          label={words.editPanel(name)}
          onClick={() => onEdit(panel)}
        />
        <Button
          kind="quiet"
          icon="copy"
          label={words.copyPanel(name)}
          disabled={panels.length >= panelsMax}
          onClick={() => {
            const { id: _id, ...same } = panel;
            const copy = { ...panelBelow(panels, same), x: panel.x, y: bottom(panels) };
            onPanels([...panels, copy]);
          }}
        />
        <Button
          kind="quiet"
          icon="close"
          label={words.removePanel(name)}
          onClick={() => onPanels(removed(panels, panel.id))}
        />
      </>
    ),
    corner: (panel: Panel) => <Corner panel={panel} onMove={move(panel.id)} />,
  };
}
