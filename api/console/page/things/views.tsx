import { useState } from 'preact/hooks';
import { address, goTo, linkTo } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Choice, Field, fieldOf } from '../ui/field.tsx';
import {
  type Column,
  columnsOf,
  headOf,
  plainKinds,
  textOfColumn,
  textOfColumns,
} from './columns.ts';

const words = thingsTexts.list;

/** Views with a name: filters, order and columns, as the address has them. They stay in this browser. */
type SavedView = { name: string; query: Record<string, string> };

const storageKey = 'things.views';
const viewsMax = 20;

function readViews(): SavedView[] {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(views) ? views.flatMap(viewIn) : [];
  } catch {
    return [];
  }
}

/** Only what was stored here: anything else under that name is left out. */
function viewIn(value: unknown): SavedView[] {
  const { name, query }: Record<string, unknown> = { ...Object(value) };
  if (typeof name !== 'string') return [];
  const texts = Object.entries({ ...Object(query) }).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text] as const] : [],
  );
  return [{ name, query: Object.fromEntries(texts) }];
}

export function SavedViews() {
  const [views, setViews] = useState(readViews);
  const [isSaving, setSaving] = useState(false);
  const keep = (next: SavedView[]) => {
    localStorage.setItem(storageKey, JSON.stringify(next));
    setViews(next);
  };
  const here = linkTo('/things', address.value.query);
  const current = views.find(({ query }) => linkTo('/things', query) === here);
  return (
    <>
      {views.length > 0 && (
        <Choice
          label={words.views}
          value={current?.name ?? ''}
          options={[
            { value: '', text: words.noView },
            ...views.map(({ name }) => ({ value: name, text: name })),
          ]}
          onChoose={(name) => goTo('/things', views.find((one) => one.name === name)?.query ?? {})}
        />
      )}
      {current === undefined ? (
        <Button kind="quiet" onClick={() => setSaving(true)}>
          {words.saveView}
        </Button>
      ) : (
        <Button kind="quiet" onClick={() => keep(views.filter((one) => one !== current))}>
          {words.forgetView}
        </Button>
      )}
      {isSaving && (
        <FormDialog
          title={words.saveView}
          action={words.saveViewAction}
          onClose={() => setSaving(false)}
          submit={async (form) => {
            const name = fieldOf(form, 'name');
            const query = Object.fromEntries(
              Object.entries(address.value.query).flatMap(([key, value]) =>
                value === undefined ? [] : [[key, value]],
              ),
            );
            const others = views.filter((one) => one.name !== name);
            keep([...others, { name, query }].slice(-viewsMax));
          }}
        >
          <Field label={thingsTexts.name} hint={words.saveViewHint}>
            <input class="input" name="name" required maxLength={80} autofocus autocomplete="off" />
          </Field>
        </FormDialog>
      )}
    </>
  );
}

/** Chooses the columns, and their order. */
export function ColumnsDialog(props: {
  columns: readonly Column[];
  onChange: (text: string | undefined) => void;
  onClose: () => void;
}) {
  const { columns, onChange, onClose } = props;
  const put = (next: readonly Column[]) => onChange(textOfColumns(next));
  const missing = plainKinds.filter((kind) => !columns.some((one) => one.kind === kind));
  const move = (at: number, by: number) => {
    const next = [...columns];
    const [one] = next.splice(at, 1);
    if (one !== undefined) next.splice(at + by, 0, one);
    put(next);
  };
  return (
    <Dialog title={words.columns} onClose={onClose}>
      <ul class="columns">
        {columns.map((column, at) => (
          <li key={textOfColumn(column)} class="row spread">
            <bdi class="cut">{headOf(column)}</bdi>
            <span class="row">
              <Button
                kind="quiet"
                icon="left"
                label={words.earlier(headOf(column))}
                disabled={at === 0}
                onClick={() => move(at, -1)}
              />
              <Button
                kind="quiet"
                icon="right"
                label={words.later(headOf(column))}
                disabled={at === columns.length - 1}
                onClick={() => move(at, 1)}
              />
              <Button
                kind="quiet"
                icon="close"
                label={words.without(headOf(column))}
                onClick={() => put(columns.filter((one) => one !== column))}
              />
            </span>
          </li>
        ))}
      </ul>
      <div class="row">
        {missing.map((kind) => (
          <Button key={kind} icon="plus" onClick={() => put([...columns, { kind }])}>
            {words.heads[kind]}
          </Button>
        ))}
      </div>
      <NamedColumn
        onAdd={(text) => put(columnsOf([...columns.map(textOfColumn), text].join(',')))}
      />
    </Dialog>
  );
}

const namedKinds = ['value:senml', 'trend:senml', 'value:json', 'trend:json', 'metadata'] as const;

/** Adds a column of a series or of a member of metadata. */
function NamedColumn({ onAdd }: { onAdd: (text: string) => void }) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        onAdd(`${fieldOf(form, 'of')}:${encodeURIComponent(fieldOf(form, 'named'))}`);
        event.currentTarget.reset();
      }}
    >
      <Field label={words.ofWhat}>
        <select class="input" name="of">
          {namedKinds.map((kind) => (
            <option key={kind} value={kind}>
              {words.named[kind]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={words.columnName}>
        <input class="input" name="named" required maxLength={254} autocomplete="off" />
      </Field>
      <Button submits icon="plus">
        {words.addColumn}
      </Button>
    </form>
  );
}
