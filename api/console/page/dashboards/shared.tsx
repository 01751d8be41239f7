import { useEffect } from 'preact/hooks';
import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { call, type SharedDashboard } from '../client/call.ts';
import { failureOf } from '../client/failure.ts';
import { useRead } from '../client/use-read.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Empty, Loaded } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import type { PanelData } from './panel-data.ts';
import { Panels } from './panels.tsx';
import { useEnds, usePanels, useSeen } from './use-panels.ts';

const words = dashboardsTexts;

/** A dashboard for whoever has a link to it: read only, and without the rest of the console. */
export default function Shared({ token }: { token: string }) {
  const reading = useRead(token, (signal) =>
    call('viewSharedDashboard', { path: { token } }, signal),
  );
  return (
    <main class="content shared">
      {reading.failure?.status === 404 ? (
        <div role="alert">
          <Empty isPage title={words.linkEnded} text={words.linkEndedText} />
        </div>
      ) : (
        <Loaded reading={reading} isPage>
          {(shared) => <Shown token={token} shared={shared} onGone={reading.again} />}
        </Loaded>
      )}
    </main>
  );
}

function Shown({
  token,
  shared,
  onGone,
}: {
  token: string;
  shared: SharedDashboard;
  /** A panel is not there any more: it was removed, or the link has ended. */
  onGone: () => void;
}) {
  const { name, from, to, refresh_s: refreshS, expires_at: endsAt } = shared;
  const panels = shared.panels.map((panel): Panel => ({ ...panel, series: [] }));
  const lasts = Date.parse(to) - Date.parse(from);
  // Each panel is read over the whole range of the dashboard as it is then.
  const { ends } = useEnds((now) => ({ from: now - lasts, to: now }), from, refreshS);
  const { seen, watch } = useSeen();
  const { stateOf } = usePanels(panels, {
    ends,
    variables: noVariables,
    seen,
    read: async (some, _ends, signal) => {
      try {
        return await readShared(token, some, signal);
      } catch (error) {
        if (!signal.aborted && failureOf(error).status === 404) onGone();
        throw error;
      }
    },
  });
  useEffect(() => {
    document.title = name;
  }, [name]);
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        <p class="small muted">
          {words.linkEnds} <At time={endsAt} />
        </p>
      </div>
      <Panels
        panels={panels}
        stateOf={stateOf}
        variables={noVariables}
        names={noNames}
        watch={watch}
      />
    </>
  );
}

const noVariables = {};
const noNames: ReadonlyMap<string, string> = new Map();

async function readShared(token: string, panels: readonly Panel[], signal: AbortSignal) {
  const read = panels.map(async ({ id }) => {
    const path = { token, panel: id };
    const { lines } = await call('readSharedPanel', { path }, signal);
    const data: PanelData = lines.map(({ label, unit, points, newest, cut }, at) => ({
      line: { format: 'senml', thing: String(at), name: label, label },
      unit,
      points: points.map(({ time, value }) => [time, value] as const),
      ...(newest === undefined ? {} : { newest: [newest.time, newest.value] as const }),
      ...(cut === undefined ? {} : { cut }),
    }));
    return [id, data] as const;
  });
  return new Map(await Promise.all(read));
}
