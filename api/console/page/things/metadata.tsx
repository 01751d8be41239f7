import { useState } from 'preact/hooks';
import { call, type Thing } from '../client/call.ts';
import type { Failure } from '../client/failure.ts';
import { problemInWords } from '../texts/state.ts';
import { thingsTexts } from '../texts/things.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Field } from '../ui/field.tsx';
import { useAction } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { Empty, Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';
import {
  type DraftRow,
  emptyRow,
  metadataOf,
  objectIn,
  problemOf,
  rowsOf,
  textOfValue,
  typeOfValue,
  type ValueType,
  valueTypes,
} from './draft.ts';

const words = thingsTexts.metadataEditor;

const views = ['table', 'json'] as const;
type View = (typeof views)[number];

/** Rows of the table as they are typed, or a text. The other one is made of it when the view changes. */
type Draft = { kind: 'table'; rows: readonly DraftRow[] } | { kind: 'json'; text: string };

const asJson = (metadata: unknown) => JSON.stringify(metadata, null, 2);

const draftOf = (kind: View, metadata: Record<string, unknown>): Draft =>
  kind === 'table'
    ? { kind, rows: Object.keys(metadata).length === 0 ? [emptyRow()] : rowsOf(metadata) }
    : { kind, text: asJson(metadata) };

/** A row whose key is empty and that has no text is one that nobody has begun. */
const isBegun = ({ key, text }: DraftRow) => key !== '' || text !== '';

const metadataIn = (draft: Draft): Record<string, unknown> =>
  draft.kind === 'table' ? metadataOf(draft.rows.filter(isBegun)) : objectIn(draft.text);

/** The metadata of a thing, as a table and as JSON; who may, changes it in either. */
export function Metadata(props: { thing: Thing; mayChange: boolean; again: () => void }) {
  const { thing, mayChange, again } = props;
  const [view, setView] = useState<View>('table');
  const [draft, setDraft] = useState<Draft>();
  const { failure, isBusy, run } = useAction();
  const show = (next: View) =>
    run(async () => {
      if (draft !== undefined) setDraft(draftOf(next, metadataIn(draft)));
      setView(next);
    });
  const save = (changed: Draft) =>
    run(async () => {
      const metadata = metadataIn(changed);
      await call('updateThing', { path: { id: thing.id }, body: { metadata } });
      setDraft(undefined);
      say(words.saved);
      again();
    });
  return (
    <Panel
      title={thingsTexts.metadata}
      actions={
        <>
          {views.map((one) => (
            <Button
              key={one}
              kind="quiet"
              pressed={one === view}
              onClick={() => {
                if (one !== view) void show(one);
              }}
            >
              {words.views[one]}
            </Button>
          ))}
          {mayChange && draft === undefined && (
            <Button onClick={() => setDraft(draftOf(view, thing.metadata))}>{words.edit}</Button>
          )}
        </>
      }
    >
      {draft === undefined ? (
        <Shown metadata={thing.metadata} view={view} />
      ) : (
        <Editor
          draft={draft}
          failure={failure}
          isBusy={isBusy}
          onChange={setDraft}
          onSave={() => void save(draft)}
        />
      )}
    </Panel>
  );
}

function Editor(props: {
  draft: Draft;
  failure: Failure | undefined;
  isBusy: boolean;
  onChange: (draft: Draft | undefined) => void;
  onSave: () => void;
}) {
  const { draft, failure, isBusy, onChange, onSave } = props;
  const problem = draft.kind === 'json' ? problemOfText(failure) : undefined;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {draft.kind === 'table' ? (
        <Rows rows={draft.rows} onChange={(rows) => onChange({ kind: 'table', rows })} />
      ) : (
        <Field label={words.asJson} problem={problem}>
          <textarea
            class="input mono"
            rows={12}
            spellcheck={false}
            value={draft.text}
            onInput={({ currentTarget: { value } }) => onChange({ kind: 'json', text: value })}
          />
        </Field>
      )}
      {problem === undefined && <Notice failure={failure} />}
      <div class="row">
        <Button kind="primary" submits disabled={isBusy}>
          {partsTexts.save}
        </Button>
        <Button onClick={() => onChange(undefined)}>{partsTexts.cancel}</Button>
      </div>
    </form>
  );
}

/** The fault of the JSON, as the page or the API names it. */
function problemOfText(failure: Failure | undefined): string | undefined {
  const { path = '', problem = '' } = failure?.field ?? {};
  return path.split('.')[0] === 'metadata' ? problemInWords(problem) : undefined;
}

function Shown({ metadata, view }: { metadata: Thing['metadata']; view: View }) {
  const members = Object.entries(metadata);
  if (members.length === 0) return <Empty title={words.none} text={words.noneText} />;
  if (view === 'json') return <Code text={asJson(metadata)} label={thingsTexts.metadata} />;
  return (
    <dl class="facts">
      {members.map(([key, value]) => (
        <>
          <dt>
            <bdi class="cut">{key}</bdi>
          </dt>
          <dd>
            <bdi class={typeOfValue(value) === 'json' ? 'mono small break' : 'break'}>
              {textOfValue(value)}
            </bdi>
          </dd>
        </>
      ))}
    </dl>
  );
}

function Rows(props: { rows: readonly DraftRow[]; onChange: (rows: DraftRow[]) => void }) {
  const { rows, onChange } = props;
  const change = (row: DraftRow, by: Partial<DraftRow>) =>
    onChange(rows.map((one) => (one === row ? { ...row, ...by } : one)));
  return (
    <div class="members">
      {rows.map((row) => {
        const problem = isBegun(row) ? problemOf(row, rows) : undefined;
        return (
          <div key={row.id} class="member">
            <input
              class="input"
              aria-label={words.key}
              placeholder={words.key}
              value={row.key}
              onInput={({ currentTarget: { value } }) => change(row, { key: value })}
            />
            <select
              class="input"
              aria-label={words.type}
              onChange={({ currentTarget: { value } }) => {
                const type = valueTypes.find((one) => one === value) ?? 'text';
                change(row, { type, text: startOf(type, row.text) });
              }}
            >
              {valueTypes.map((type) => (
                <option key={type} value={type} selected={type === row.type}>
                  {words.types[type]}
                </option>
              ))}
            </select>
            <Value row={row} onChange={(text) => change(row, { text })} />
            <Button
              kind="quiet"
              icon="close"
              label={words.remove(row.key)}
              onClick={() => onChange(rows.filter((one) => one !== row))}
            />
            {problem !== undefined && <small class="problem">{problem}</small>}
          </div>
        );
      })}
      <Button icon="plus" onClick={() => onChange([...rows, emptyRow()])}>
        {words.add}
      </Button>
    </div>
  );
}

/** The text of a value as one of another type. */
const startOf = (type: ValueType, text: string): string =>
  type === 'boolean' ? String(text === 'true') : text;

function Value({ row, onChange }: { row: DraftRow; onChange: (text: string) => void }) {
  if (row.type === 'boolean') {
    return (
      <select
        class="input"
        aria-label={words.value}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      >
        {(['true', 'false'] as const).map((one) => (
          <option key={one} value={one} selected={one === row.text}>
            {words.booleans[one]}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      class={row.type === 'json' ? 'input mono' : 'input'}
      aria-label={words.value}
      placeholder={words.value}
      inputMode={row.type === 'number' ? 'decimal' : undefined}
      value={row.text}
      onInput={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}
