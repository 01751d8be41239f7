import { useState } from 'preact/hooks';
import type { Variable } from '../../../../schemas/dashboards/content.ts';
import type { Dashboard } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Choice, Field, fieldOf } from '../ui/field.tsx';
import { lastRanges, offersFor } from './controls.tsx';
import type { Draft } from './draft.ts';

const words = dashboardsTexts;
const refreshes = [0, 5, 10, 30, 60, 300, 900];
const variablesMax = 10;

/** The name of a dashboard, and all that its panels share. */
export function SettingsForm({
  draft,
  place,
  onApply,
  onClose,
}: {
  draft: Draft;
  place: Pick<Dashboard, 'org_id' | 'group_id'>;
  onApply: (draft: Draft) => void;
  onClose: () => void;
}) {
  const { content } = draft;
  const [last, setLast] = useState(content.range.last ?? '');
  const [refreshS, setRefresh] = useState(content.refresh_s ?? 0);
  const [variables, setVariables] = useState<readonly Variable[]>(content.variables ?? []);
  return (
    <FormDialog
      title={words.settings}
      action={words.apply}
      submit={async (form) => {
        const { refresh_s: _before, ...rest } = content;
        onApply({
          name: fieldOf(form, 'name'),
          description: fieldOf(form, 'description'),
          content: {
            ...rest,
            range: last === '' ? content.range : { last },
            variables: [...variables],
            ...(refreshS === 0 ? {} : { refresh_s: refreshS }),
          },
        });
      }}
      onClose={onClose}
    >
      <Field label={words.name}>
        <input class="input" name="name" required maxLength={254} defaultValue={draft.name} />
      </Field>
      <Field label={words.description}>
        <input class="input" name="description" maxLength={1024} defaultValue={draft.description} />
      </Field>
      <TimeFields
        own={content.range.last}
        last={last}
        setLast={setLast}
        refreshS={refreshS}
        setRefresh={setRefresh}
      />
      <VariableList place={place} variables={variables} onChange={setVariables} />
    </FormDialog>
  );
}

/** The range of time, and how often it is read again. */
function TimeFields({
  own,
  last,
  setLast,
  refreshS,
  setRefresh,
}: {
  own: string | undefined;
  last: string;
  setLast: (last: string) => void;
  refreshS: number;
  setRefresh: (seconds: number) => void;
}) {
  return (
    <>
      <Field label={words.range}>
        <Choice
          label={words.range}
          value={last}
          options={[
            ...(own === undefined ? [{ value: '', text: words.fixed }] : []),
            ...[...new Set([...lastRanges, last])]
              .filter(Boolean)
              .map((value) => ({ value, text: words.last(value) })),
          ]}
          onChoose={setLast}
        />
      </Field>
      <Field label={words.refresh}>
        <Choice
          label={words.refresh}
          value={String(refreshS)}
          options={[...new Set([...refreshes, refreshS])].map((seconds) => ({
            value: String(seconds),
            text: seconds === 0 ? words.refreshNever : words.refreshEach(seconds),
          }))}
          onChoose={(value) => setRefresh(Number(value))}
        />
      </Field>
    </>
  );
}

function VariableList({
  place,
  variables,
  onChange,
}: {
  place: Pick<Dashboard, 'org_id' | 'group_id'>;
  variables: readonly Variable[];
  onChange: (variables: readonly Variable[]) => void;
}) {
  return (
    <>
      <h3>{words.variables}</h3>
      {variables.map((variable, at) => (
        <VariableFields
          key={at}
          variable={variable}
          place={place}
          onChange={(changed) => onChange(variables.map((one, i) => (i === at ? changed : one)))}
          onRemove={() => onChange(variables.filter((_, i) => i !== at))}
        />
      ))}
      <p>
        <Button
          icon="plus"
          disabled={variables.length >= variablesMax}
          onClick={() =>
            onChange([...variables, { name: `v${variables.length + 1}`, kind: 'thing' }])
          }
        >
          {words.addVariable}
        </Button>
      </p>
    </>
  );
}

function VariableFields({
  variable,
  place,
  onChange,
  onRemove,
}: {
  variable: Variable;
  place: Pick<Dashboard, 'org_id' | 'group_id'>;
  onChange: (variable: Variable) => void;
  onRemove: () => void;
}) {
  const { name, kind, default: id = '' } = variable;
  const { value: offers = [] } = useRead(`${kind} ${place.org_id} ${place.group_id}`, (signal) =>
    offersFor(kind, place, signal),
  );
  return (
    <div class="row">
      <input
        class="input"
        aria-label={`${words.variable}: ${words.name}`}
        required
        pattern="[A-Za-z][A-Za-z0-9_]{0,31}"
        value={name}
        onChange={({ currentTarget }) => onChange({ ...variable, name: currentTarget.value })}
      />
      <Choice
        label={`${name}: ${words.kind}`}
        value={kind}
        options={[
          { value: 'thing', text: words.variableKinds.thing },
          { value: 'group', text: words.variableKinds.group },
        ]}
        onChoose={(chosen) => onChange({ name, kind: chosen })}
      />
      <Choice
        label={`${name}: ${words.default}`}
        value={id}
        options={[
          { value: '', text: words.notChosen },
          ...offers.map((one) => ({ value: one.id, text: one.name })),
        ]}
        onChoose={(chosen) =>
          onChange(chosen === '' ? { name, kind } : { name, kind, default: chosen })
        }
      />
      <Button kind="quiet" icon="close" label={words.removeVariable(name)} onClick={onRemove} />
    </div>
  );
}
