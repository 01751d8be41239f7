import type { DashboardContent } from '../../../../schemas/dashboards/content.ts';
import { linesOf, rangeEnds } from '../../../../schemas/dashboards/questions.ts';
import type { Dashboard } from '../client/call.ts';
import { Notice } from '../ui/states.tsx';
import { chosenRange } from './controls.tsx';
import { useNames } from './labels.ts';
import { mapSourcesOf } from './map-things.ts';
import { readPanels } from './panel-data.ts';
import { Panels } from './panels.tsx';
import { useEnds, usePanels, useSeen } from './use-panels.ts';
import { useVariableThings } from './use-variables.ts';

type Tools = Pick<Parameters<typeof Panels>[0], 'tools' | 'corner'>;

/** The panels of a dashboard with what they show; those in sight are read again as it says. */
export function LiveGrid({
  content,
  place,
  ...tools
}: { content: DashboardContent; place: Pick<Dashboard, 'org_id' | 'group_id'> } & Tools) {
  const { panels, refresh_s: refreshS } = content;
  const { value: variables, failure } = useVariableThings(content);
  const range = chosenRange(content);
  const isMoving = range.last !== undefined;
  const { ends } = useEnds(
    (now) => rangeEnds(range, now),
    JSON.stringify(range),
    isMoving ? refreshS : undefined,
  );
  const { seen, watch } = useSeen();
  const { stateOf } = usePanels(panels, {
    ends,
    variables,
    seen,
    read: (some, at, signal) => readPanels(some, variables ?? {}, at, signal),
  });
  const things = panels.flatMap((panel) => linesOf(panel, variables ?? {}).map((one) => one.thing));
  const names = useNames(things);
  return (
    <>
      <Notice failure={failure} />
      <Panels
        panels={panels}
        stateOf={stateOf}
        variables={variables ?? {}}
        names={names}
        watch={watch}
        mapOf={(panel) => mapSourcesOf(panel, content, place)}
        {...tools}
      />
    </>
  );
}
