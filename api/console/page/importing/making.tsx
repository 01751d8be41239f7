import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../router.ts';
import { importingTexts } from '../texts/importing.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { useAction } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Notice } from '../ui/states.tsx';
import type { Checked } from './check.ts';
import { createAll, type Progress, type ToMake, withIds } from './create.ts';
import { failuresFile, keysFile } from './files.ts';
import type { CsvFile, CsvRow } from './read-csv.ts';

const words = importingTexts;

type Run = { kind: 'ready' } | { kind: 'making' } | { kind: 'stopped' } | { kind: 'done' };

/** The making of things: how far it is, and what starts it, stops it and goes on with it. */
function useMaking(good: Parameters<typeof withIds>[0], onMaking: (isMaking: boolean) => void) {
  const [run, setRun] = useState<Run>({ kind: 'ready' });
  const [progress, setProgress] = useState<Progress>({ made: [], refused: [] });
  const [all, setAll] = useState<readonly ToMake[]>([]);
  const stopping = useRef(new AbortController());
  const { failure, run: tryTo } = useAction();
  useEffect(() => () => stopping.current.abort(), []);
  useLeaving(run.kind === 'making');
  const start = async () => {
    const before = progress;
    const isAgain = run.kind !== 'ready';
    const rows = isAgain ? all : withIds(good);
    setAll(rows);
    const controller = new AbortController();
    stopping.current = controller;
    onMaking(true);
    setRun({ kind: 'making' });
    const left = withoutDone(rows, before);
    const isDone = await tryTo(() =>
      createAll(left, { isAgain, signal: controller.signal }, ({ made, refused }) =>
        setProgress({
          made: [...before.made, ...made],
          refused: [...before.refused, ...refused],
        }),
      ),
    );
    setRun({ kind: isDone && !controller.signal.aborted ? 'done' : 'stopped' });
  };
  return { run, progress, all, failure, start, stop: () => stopping.current.abort() };
}

/** Makes the things of the rows that are right, and tells what became of each. */
export function Making(props: {
  file: CsvFile;
  checked: readonly Checked[];
  onMaking: (isMaking: boolean) => void;
}) {
  const { file, checked, onMaking } = props;
  const good = checked.filter((row) => row.kind === 'thing');
  const { run, progress, all, failure, start, stop } = useMaking(good, onMaking);

  const { made, refused } = progress;
  const isOver = run.kind === 'done' || run.kind === 'stopped';
  const failed = isOver ? failuresOf(checked, refused) : [];
  return (
    <Panel>
      <div class="stack">
        {run.kind !== 'ready' && (
          <>
            <progress
              aria-label={words.progress}
              max={all.length}
              value={made.length + refused.length}
            />
            <p role="status">{told(run, made.length, all.length)}</p>
          </>
        )}
        <Notice failure={failure} />
        {failed.length > 0 && <p class="notice">{words.failed(failed.length)}</p>}
        {isOver && made.length > 0 && <p class="muted">{words.keysText}</p>}
        {/* The table above is what was filled in: to make its things is to save it. */}
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void start();
          }}
        >
          {run.kind === 'ready' && (
            <Button kind="primary" submits disabled={good.length === 0}>
              {words.make(good.length)}
            </Button>
          )}
          {run.kind === 'making' && <Button onClick={stop}>{words.stop}</Button>}
          {run.kind === 'stopped' && (
            <Button kind="primary" submits>
              {words.goOn}
            </Button>
          )}
          {isOver && <Files file={file} failed={failed} made={made} />}
        </form>
      </div>
    </Panel>
  );
}

type Failed = { row: CsvRow; why: string };

/** Files of the rows that failed, and of the keys of those that did not. */
function Files(props: { file: CsvFile; failed: readonly Failed[]; made: Progress['made'] }) {
  const { file, failed, made } = props;
  const save = (name: string, parts: readonly string[]) => saveFile(name, 'text/csv', parts);
  return (
    <>
      {failed.length > 0 && (
        <Button icon="download" onClick={() => save('failed.csv', failuresFile(file, failed))}>
          {words.saveFailed}
        </Button>
      )}
      {made.length > 0 && (
        <>
          <Button icon="download" onClick={() => save('keys.csv', keysFile(made))}>
            {words.saveKeys}
          </Button>
          <ButtonLink href={linkTo('/things')}>{words.toThings}</ButtonLink>
        </>
      )}
    </>
  );
}

function told({ kind }: Run, made: number, all: number): string {
  if (kind === 'making') return words.making(made, all);
  return kind === 'stopped' ? words.stopped(made, all) : words.done(made);
}

function withoutDone(rows: readonly ToMake[], { made, refused }: Progress): ToMake[] {
  const ids = new Set(made.map(({ id }) => id));
  const lines = new Set(refused.map(({ line }) => line));
  return rows.filter(({ line, thing }) => !ids.has(thing.id) && !lines.has(line));
}

/** Rows that were wrong from the start, and those that the API refused, in the order of the file. */
function failuresOf(checked: readonly Checked[], refused: Progress['refused']): Failed[] {
  const whys = new Map(refused.map(({ line, why }) => [line, why]));
  return checked.flatMap((row): Failed[] => {
    if (row.kind === 'wrong') {
      return [{ row, why: row.problems.map(({ why }) => why).join('; ') }];
    }
    const why = whys.get(row.line);
    return why === undefined ? [] : [{ row, why }];
  });
}

/** Asks before the page is left while things are made. */
function useLeaving(isMaking: boolean): void {
  useEffect(() => {
    if (!isMaking) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isMaking]);
}
