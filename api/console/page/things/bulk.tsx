import { useEffect, useRef, useState } from 'preact/hooks';
import { FieldError } from '../client/failure.ts';
import { thingsTexts } from '../texts/things.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { BatchQuestion, Dialog, FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { useAction } from '../ui/form.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Notice } from '../ui/states.tsx';
import { type Act, csvOf, keysCsv, noProgress, refusedCsv, run } from './bulk-run.ts';
import { type Filters, valueOf } from './list-filters.ts';
import { ProfileField, useChosenProfile } from './profile-field.tsx';
import { nothing, type Selection } from './selection.ts';

const words = thingsTexts.bulk;

/** The acts on the things that are chosen. */
export function SelectionBar(props: {
  selection: Selection;
  filters: Filters;
  total: number;
  isMore: boolean;
  mayChooseAll: boolean;
  onSelect: (selection: Selection) => void;
  onDone: () => void;
}) {
  const { selection, filters, total, isMore, mayChooseAll, onSelect, onDone } = props;
  const [asking, setAsking] = useState<Act['kind']>();
  const [act, setAct] = useState<Act>();
  const count = selection.kind === 'some' ? selection.things.size : total;
  if (count === 0) return null;
  const many = words.chosen(count, selection.kind === 'all' && isMore);
  return (
    <div class="selection" role="region" aria-label={words.selection}>
      <strong>{many}</strong>
      {selection.kind === 'some' && mayChooseAll && (
        <Button kind="quiet" onClick={() => onSelect({ kind: 'all' })}>
          {words.chooseAll(total, isMore)}
        </Button>
      )}
      <span class="row">
        {(['move', 'set', 'unset', 'rotate'] as const).map((kind) => (
          <Button key={kind} onClick={() => setAsking(kind)}>
            {words.acts[kind]}
          </Button>
        ))}
        <Button kind="danger" onClick={() => setAsking('delete')}>
          {words.acts.delete}
        </Button>
        <Button kind="quiet" icon="close" label={words.none} onClick={() => onSelect(nothing)} />
      </span>
      {asking !== undefined && (
        <Asking
          kind={asking}
          count={count}
          isMore={selection.kind === 'all' && isMore}
          onAct={setAct}
          onClose={() => setAsking(undefined)}
        />
      )}
      {act !== undefined && (
        <Running
          act={act}
          selection={selection}
          filters={filters}
          onClose={() => {
            setAct(undefined);
            onSelect(nothing);
            onDone();
          }}
        />
      )}
    </div>
  );
}

function Asking(props: {
  kind: Act['kind'];
  count: number;
  isMore: boolean;
  onAct: (act: Act) => void;
  onClose: () => void;
}) {
  const { kind, count, isMore, onAct, onClose } = props;
  const profiles = useChosenProfile({});
  const actOf = (form: FormData): Act => {
    const key = fieldOf(form, 'key');
    if (kind === 'set') return { kind, key, value: valueOf(fieldOf(form, 'value')) };
    if (kind === 'unset') return { kind, key };
    if (kind === 'rotate') return { kind };
    if (kind === 'move') {
      if (profiles.chosen === undefined) throw new Error(thingsTexts.noSuchProfile);
      return { kind, profile: profiles.chosen.id };
    }
    throw new Error(words.otherCount);
  };
  if (kind === 'delete') return <AskingDeletion {...{ count, isMore, onAct, onClose }} />;
  return (
    <FormDialog
      title={words.titles[kind]}
      action={words.actions[kind](count, isMore)}
      onClose={onClose}
      submit={async (form) => onAct(actOf(form))}
    >
      <p class="muted">{words.texts[kind]}</p>
      {(kind === 'set' || kind === 'unset') && (
        <Field label={words.key}>
          <input class="input" name="key" required maxLength={1024} autocomplete="off" autofocus />
        </Field>
      )}
      {kind === 'set' && (
        <Field label={words.value} hint={words.valueHint}>
          <input class="input" name="value" maxLength={1024} autocomplete="off" />
        </Field>
      )}
      {kind === 'move' && (
        <ProfileField
          label={thingsTexts.profile}
          hint={thingsTexts.changing.moveHint}
          {...profiles}
        />
      )}
    </FormDialog>
  );
}

function AskingDeletion(props: {
  count: number;
  isMore: boolean;
  onAct: (act: Act) => void;
  onClose: () => void;
}) {
  const { count, isMore, onAct, onClose } = props;
  return (
    <BatchQuestion
      operation="deleteThings"
      title={words.titles.delete}
      text={words.texts.delete}
      action={words.actions.delete(count, isMore)}
      onConfirmed={(form, ask) => {
        if (fieldOf(form, 'count').replaceAll(/\D/g, '') !== String(count)) {
          throw new FieldError('count', words.otherCount);
        }
        onAct({
          kind: 'delete',
          remove: async (ids) => {
            await ask({ body: { thing_ids: ids } });
          },
        });
      }}
      onClose={onClose}
    >
      <Field label={words.typeCount(count, isMore)}>
        <input class="input" name="count" required inputMode="numeric" autocomplete="off" />
      </Field>
    </BatchQuestion>
  );
}

/** Batches under way, until they are done or somebody stops them. */
function Running(props: { act: Act; selection: Selection; filters: Filters; onClose: () => void }) {
  const { act, selection, filters, onClose } = props;
  const [progress, setProgress] = useState(noProgress);
  const [isOver, setOver] = useState(false);
  const stopping = useRef(new AbortController());
  const { failure, run: tryTo } = useAction();
  useEffect(() => {
    const { signal } = stopping.current;
    void tryTo(() => run(act, selection, filters, signal, setProgress)).then(() => setOver(true));
    return () => stopping.current.abort();
  }, []);
  const stop = () => stopping.current.abort();
  const { done, refused, keys } = progress;
  const isStopped = stopping.current.signal.aborted;
  return (
    <Dialog title={words.titles[act.kind]} onClose={isOver ? onClose : stop}>
      <p role="status">
        {isOver ? words.done(done, isStopped) : words.running(done)}
        {refused.length > 0 && ` ${words.refused(refused.length)}`}
      </p>
      <Notice failure={isStopped ? undefined : failure} />
      {refused.length > 0 && (
        <ul class="small muted refused">
          {refused.slice(0, 20).map(({ id, name, why }) => (
            <li key={id}>
              <bdi>{name}</bdi>: <bdi>{why}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        {isOver ? (
          <Button kind="primary" onClick={onClose}>
            {shellTexts.close}
          </Button>
        ) : (
          <Button onClick={stop}>{words.stop}</Button>
        )}
        {isOver && keys.length > 0 && (
          <Button
            icon="download"
            onClick={() => saveFile('keys.csv', 'text/csv', ['\uFEFF', ...keysCsv(keys)])}
          >
            {words.saveKeys}
          </Button>
        )}
        {isOver && refused.length > 0 && (
          <Button
            icon="download"
            onClick={() => saveFile('refused.csv', 'text/csv', refusedCsv(refused))}
          >
            {words.saveRefused}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** All that match as a file; it can be stopped. */
export function ExportButton({ filters }: { filters: Filters }) {
  const [count, setCount] = useState<number>();
  const stopping = useRef<AbortController | undefined>(undefined);
  const { failure, run: tryTo } = useAction();
  const start = () => {
    const controller = new AbortController();
    stopping.current = controller;
    setCount(0);
    void tryTo(async () => {
      const lines = await csvOf(filters, controller.signal, setCount);
      saveFile('things.csv', 'text/csv', ['\uFEFF', ...lines]);
    }).then(() => setCount(undefined));
  };
  const isStopped = stopping.current?.signal.aborted === true;
  return (
    <>
      {count === undefined ? (
        <Button kind="quiet" icon="download" onClick={start}>
          {words.export}
        </Button>
      ) : (
        <Button kind="quiet" icon="close" onClick={() => stopping.current?.abort()}>
          {words.exporting(count)}
        </Button>
      )}
      {!isStopped && <Notice failure={failure} />}
    </>
  );
}
