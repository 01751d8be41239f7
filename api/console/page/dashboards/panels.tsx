import type { ComponentChildren } from 'preact';
import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { linesOf, type VariableThings } from '../../../../schemas/dashboards/questions.ts';
import { useReachable } from '../ui/reachable.ts';
import { Notice } from '../ui/states.tsx';
import { inOrder } from './grid.ts';
import { labelsOf } from '../../../../schemas/dashboards/points.ts';
import { type Names, panelNames } from './labels.ts';
import { PanelBody } from './panel-body.tsx';
import { stateTexts } from '../texts/state.ts';
import { mapTexts } from '../texts/map.ts';
import { MapPanel } from './map-panel.tsx';
import type { MapSource } from './map-things.ts';
import type { PanelState } from './use-panels.ts';

/** The height of a row, and the space between two. */
export const rowPixels = 64;
export const gapPixels = 16;
const headPixels = 44;
const paddingPixels = 12;

/** The height that is left in a panel for what stands in it. */
const bodyHeight = (h: number, hasTitle: boolean) =>
  h * rowPixels + (h - 1) * gapPixels - (hasTitle ? headPixels : 0) - 2 * paddingPixels;

type PanelsProps = {
  panels: readonly Panel[];
  stateOf: (id: string) => PanelState | undefined;
  variables: VariableThings;
  names: Names;
  watch: (id: string) => (element: Element | null) => void;
  /** Whose things the maps have; absent where nobody may see them. */
  mapOf?: (panel: Panel) => readonly MapSource[];
  /** They stand in the head of a panel. */
  tools?: (panel: Panel, name: string) => ComponentChildren;
  /** Stands at the corner of a panel. */
  corner?: (panel: Panel) => ComponentChildren;
};

/** Panels on the grid; on a phone one below the other. */
export function Panels({ panels, tools, corner, watch, ...rest }: PanelsProps) {
  const titles = panelNames(panels);
  return (
    <div class="grid" data-editing={tools !== undefined}>
      {inOrder(panels).map((panel) => {
        const name = titles.get(panel.id) ?? '';
        const hasHead = panel.title !== '' || tools !== undefined;
        return (
          <section
            key={panel.id}
            class="panel grid-panel"
            ref={watch(panel.id)}
            data-panel={panel.id}
            aria-label={name}
            style={{
              '--x': String(panel.x + 1),
              '--y': String(panel.y + 1),
              '--w': String(panel.w),
              '--h': String(panel.h),
            }}
          >
            {hasHead && (
              <header>
                <h2 title={panel.title}>
                  <bdi class="cut">{panel.title}</bdi>
                </h2>
                {tools !== undefined && <div class="row tools">{tools(panel, name)}</div>}
              </header>
            )}
            <OnePanel panel={panel} hasHead={hasHead} {...rest} />
            {corner?.(panel)}
          </section>
        );
      })}
    </div>
  );
}

/** A panel without its frame: in the grid, and in the preview of its form. */
export function OnePanel({
  panel,
  hasHead,
  stateOf,
  variables,
  names,
  mapOf,
}: Pick<PanelsProps, 'stateOf' | 'variables' | 'names' | 'mapOf'> & {
  panel: Panel;
  hasHead: boolean;
}) {
  const state = stateOf(panel.id);
  const { data, ends, failure } = state ?? {};
  const lines = linesOf(panel, variables);
  const body = useReachable<HTMLDivElement>();
  return (
    <div class="panel-body" ref={body}>
      <Notice failure={failure} />
      {panel.kind === 'map' && mapOf === undefined && (
        <p class="panel-said muted">{mapTexts.notShared}</p>
      )}
      {panel.kind === 'map' && mapOf !== undefined && ends !== undefined && (
        <MapPanel title={panel.title} sources={mapOf(panel)} at={ends.to} />
      )}
      {panel.kind !== 'map' && data !== undefined && ends !== undefined && (
        <PanelBody
          panel={panel}
          data={data}
          labels={labelsOf(
            data.map(({ line }) => line),
            (id) => names.get(id) ?? '…',
          )}
          ends={ends}
          height={bodyHeight(panel.h, hasHead)}
        />
      )}
      {data === undefined && failure === undefined && lines.length > 0 && (
        <p class="panel-said muted" role="status">
          {stateTexts.loading}
        </p>
      )}
    </div>
  );
}
