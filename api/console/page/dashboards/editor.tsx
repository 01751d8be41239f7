import { useState } from 'preact/hooks';
import { ApiError } from '../../../../schemas/client/errors.ts';
import type { DashboardContent, Panel } from '../../../../schemas/dashboards/content.ts';
import { panelsMax } from '../../../../schemas/dashboards/members.ts';
import { call, type Dashboard, type DashboardChange } from '../client/call.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PageHead } from '../ui/page.tsx';
import { Empty, Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import type { Draft } from './draft.ts';
import { panelBelow } from './draft.ts';
import { bottom, type Place, placed, removed } from './grid.ts';
import { LiveGrid } from './live-grid.tsx';
import { Corner, Grip } from './moving.tsx';
import { PanelForm } from './panel-form.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useLeaving } from './use-leaving.ts';

const words = dashboardsTexts;

type Open =
  | { kind: 'panel'; panel: Panel; isNew: boolean }
  | { kind: 'settings' }
  | { kind: 'discard' }
  | { kind: 'late'; theirs: Dashboard };

/** A dashboard while it is edited: nothing is saved before one says so. */
export function Editor({
  dashboard,
  first,
  onDone,
}: {
  dashboard: Dashboard;
  first: Draft;
  onDone: (isSaved: boolean) => void;
}) {
  const [draft, setDraft] = useState<Draft>(partsOf(first));
  const [open, setOpen] = useState<Open>();
  const { failure, isBusy, run } = useAction();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(partsOf(dashboard));
  useLeaving(isChanged);
  const { panels } = draft.content;
  const setPanels = (changed: Panel[]) =>
    setDraft((before) => ({ ...before, content: { ...before.content, panels: changed } }));
  const save = (version: number) =>
    run(async () => {
      const theirs = await saved(dashboard.id, { version, ...draft });
      if (theirs !== undefined) return setOpen({ kind: 'late', theirs });
      say(words.saved);
      return onDone(true);
    });
  return (
    <>
      <PageHead title={draft.name}>
        {isChanged && <span class="small muted">{words.unsaved}</span>}
        <Button
          icon="plus"
          disabled={panels.length >= panelsMax}
          onClick={() => setOpen({ kind: 'panel', panel: panelBelow(panels, {}), isNew: true })}
        >
          {words.addPanel}
        </Button>
        <Button onClick={() => setOpen({ kind: 'settings' })}>{words.settings}</Button>
        <Button onClick={() => (isChanged ? setOpen({ kind: 'discard' }) : onDone(false))}>
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
      {panels.length === 0 && <Empty title={words.empty} text={words.emptyText} />}
      <EditedGrid
        place={dashboard}
        content={draft.content}
        onPanels={setPanels}
        onEdit={(panel) => setOpen({ kind: 'panel', panel, isNew: false })}
      />
      <EditorDialogs
        open={open}
        place={dashboard}
        draft={draft}
        onDraft={setDraft}
        onSave={(version) => void save(version)}
        onDone={onDone}
        onClose={() => setOpen(undefined)}
      />
    </>
  );
}

/** Saves it; gives the dashboard that there is instead, where somebody was quicker. */
async function saved(id: string, body: DashboardChange): Promise<Dashboard | undefined> {
  try {
    await call('updateDashboard', { path: { id }, body });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    return call('viewDashboard', { path: { id } });
  }
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
  open: Open | undefined;
  place: Dashboard;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onSave: (version: number) => void;
  onDone: (isSaved: boolean) => void;
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
  if (open.kind === 'discard') return <Discard onDone={() => onDone(false)} onClose={onClose} />;
  const over = () => {
    onClose();
    onSave(open.theirs.version);
  };
  return (
    <Late theirs={open.theirs} onOver={over} onTheirs={() => onDone(true)} onClose={onClose} />
  );
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

const partsOf = ({ name, description, content }: Draft): Draft => ({ name, description, content });

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

/** The panels with what moves, resizes, copies and removes them. */
function EditedGrid({
  place: where,
  content,
  onPanels,
  onEdit,
}: {
  place: Dashboard;
  content: DashboardContent;
  onPanels: (panels: Panel[]) => void;
  onEdit: (panel: Panel) => void;
}) {
  const { panels } = content;
  const move = (id: string) => (place: Place) => onPanels(placed(panels, id, place));
  return (
    <LiveGrid
      content={content}
      place={where}
      tools={(panel) => {
        const title = words.panelOf(panel.title);
        return (
          <>
            <Grip panels={panels} panel={panel} onMove={move(panel.id)} />
            <Button
              kind="quiet"
              icon="edit"
              label={words.editPanel(title)}
              onClick={() => onEdit(panel)}
            />
            <Button
              kind="quiet"
              icon="copy"
              label={words.copyPanel(title)}
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
              label={words.removePanel(title)}
              onClick={() => onPanels(removed(panels, panel.id))}
            />
          </>
        );
      }}
      corner={(panel) => <Corner panel={panel} onMove={move(panel.id)} />}
    />
  );
}
