import { useState } from 'preact/hooks';
import type { DashboardContent, Panel } from '../../../../schemas/dashboards/content.ts';
import {
  panelAggregates,
  panelKinds,
  seriesOfPanelMax,
} from '../../../../schemas/dashboards/members.ts';
import { linesOf, rangeEnds } from '../../../../schemas/dashboards/questions.ts';
import type { Dashboard } from '../client/call.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { chosenRange } from './controls.tsx';
import { useNames } from './labels.ts';
import { mapSourcesOf } from './map-things.ts';
import { readPanels } from './panel-data.ts';
import { OnePanel } from './panels.tsx';
import { SeriesFields } from './series-fields.tsx';
import { ThresholdFields } from './threshold-fields.tsx';
import { useEnds, usePanels } from './use-panels.ts';
import { useVariableThings } from './use-variables.ts';

const words = dashboardsTexts;
const intervals = ['auto', '10s', '1m', '5m', '15m', '1h', '6h', '1d', '1w'];

type FormProps = {
  panel: Panel;
  isNew: boolean;
  place: Pick<Dashboard, 'org_id' | 'group_id'>;
  content: DashboardContent;
  onApply: (panel: Panel) => void;
  onClose: () => void;
};

/** All that a panel shows, with a preview of it. */
export function PanelForm({ panel: given, isNew, place, content, onApply, onClose }: FormProps) {
  const [panel, setPanel] = useState(given);
  const set = (change: Partial<Panel>) => setPanel((before) => ({ ...before, ...change }));
  const { value: variableThings = {} } = useVariableThings(content);
  const title = words.panelOf(panel.title);
  const isMap = panel.kind === 'map';
  return (
    <FormDialog
      title={isNew ? words.newPanel : words.editPanel(title)}
      action={words.apply}
      submit={async () => {
        mustBeWhole(panel);
        onApply(panel);
      }}
      onClose={onClose}
    >
      <div class="panel-form">
        <Shown panel={panel} set={set} />
        <h3>{isMap ? words.mapThings : words.series}</h3>
        {isMap && <p class="small muted">{words.mapAll}</p>}
        {panel.series.map((series, at) => (
          <SeriesFields
            key={at}
            at={at}
            isThingOnly={isMap}
            series={series}
            place={place}
            variables={content.variables ?? []}
            variableThings={variableThings}
            onChange={(changed) =>
              set({ series: panel.series.map((one, i) => (i === at ? changed : one)) })
            }
            onRemove={() => set({ series: panel.series.filter((_, i) => i !== at) })}
          />
        ))}
        <p>
          <Button
            icon="plus"
            disabled={panel.series.length >= seriesOfPanelMax}
            onClick={() => {
              const { label: _label, ...last } = panel.series.at(-1) ?? { name: '' };
              set({ series: [...panel.series, last] });
            }}
          >
            {isMap ? words.addThing : words.addSeries}
          </Button>
        </p>
        {!isMap && (
          <ThresholdFields
            thresholds={panel.thresholds ?? []}
            onChange={(thresholds) => set({ thresholds })}
          />
        )}
        <Preview panel={panel} content={content} place={place} />
      </div>
    </FormDialog>
  );
}

/** @throws Error in words of the form */
function mustBeWhole({ series, kind }: Panel): void {
  const lacksThing = series.some(({ thing, variable }) => (thing ?? variable ?? '') === '');
  if (lacksThing) throw new Error(words.badThing);
  const lacksName = series.some(({ name = '' }) => name === '');
  if (lacksName && kind !== 'map') throw new Error(words.badName);
}

/** How it is shown. */
function Shown({ panel, set }: { panel: Panel; set: (change: Partial<Panel>) => void }) {
  const { kind, aggregation = 'none', interval = 'auto' } = panel;
  const isOverTime = kind === 'line' || kind === 'bars' || kind === 'value';
  return (
    <div class="panel-shown">
      <Field label={words.panelTitle}>
        <input
          class="input"
          maxLength={254}
          value={panel.title}
          onInput={({ currentTarget }) => set({ title: currentTarget.value })}
        />
      </Field>
      <Field label={words.kind}>
        <Choice
          label={words.kind}
          value={kind}
          options={panelKinds.map((value) => ({ value, text: words.kinds[value] }))}
          onChoose={(value) => set({ kind: value })}
        />
      </Field>
      {kind !== 'map' && (
        <Field label={words.unit}>
          <input
            class="input"
            maxLength={32}
            placeholder={words.unitHint}
            value={panel.unit ?? ''}
            onInput={({ currentTarget: { value } }) => set({ unit: value })}
          />
        </Field>
      )}
      {isOverTime && (
        <Field label={words.aggregation}>
          <Choice
            label={words.aggregation}
            value={aggregation}
            options={panelAggregates.map((value) => ({ value, text: words.aggregates[value] }))}
            onChoose={(value) => set({ aggregation: value })}
          />
        </Field>
      )}
      {isOverTime && (aggregation !== 'none' || kind === 'bars') && (
        <Field label={words.interval}>
          <Choice
            label={words.interval}
            value={interval}
            options={[...new Set([...intervals, interval])].map((value) => ({
              value,
              text: value === 'auto' ? words.intervals.auto : value,
            }))}
            onChoose={(value) => set({ interval: value })}
          />
        </Field>
      )}
    </div>
  );
}

const previewRows = 4;

function Preview({ panel, content, place }: Pick<FormProps, 'panel' | 'content' | 'place'>) {
  const range = chosenRange(content);
  const { ends } = useEnds((now) => rangeEnds(range, now), JSON.stringify(range), undefined);
  const { value: variables } = useVariableThings(content);
  const whole = panel.series.filter(
    ({ thing, variable, name = '' }) =>
      (thing ?? variable ?? '') !== '' && (name !== '' || panel.kind === 'map'),
  );
  const shown: Panel = { ...panel, series: whole, h: previewRows };
  const { stateOf } = usePanels([shown], {
    ends,
    variables,
    seen: new Set([shown.id]),
    read: (some, at, signal) => readPanels(some, variables ?? {}, at, signal),
  });
  const names = useNames(linesOf(shown, variables ?? {}).map(({ thing }) => thing));
  return (
    <section class="panel grid-panel panel-preview" aria-label={words.preview}>
      <OnePanel
        panel={shown}
        hasHead={false}
        stateOf={stateOf}
        variables={variables ?? {}}
        names={names}
        mapOf={(one) => mapSourcesOf(one, content, place)}
      />
    </section>
  );
}
