import { useState } from 'preact/hooks';
import { importingTexts } from '../texts/importing.ts';
import { Panel } from '../ui/page.tsx';
import type { Checked } from './check.ts';
import type { Target } from './columns.ts';
import type { CsvFile } from './read-csv.ts';

const words = importingTexts;
const shownMax = 20;

/** The first rows, each cell as it was understood, with what is wrong with it. */
export function Preview(props: {
  file: CsvFile;
  targets: readonly Target[];
  checked: readonly Checked[];
}) {
  const { file, targets, checked } = props;
  const [isOnlyWrong, setOnlyWrong] = useState(false);
  const wrong = checked.filter(({ kind }) => kind === 'wrong');
  const all = isOnlyWrong && wrong.length > 0 ? wrong : checked;
  const shown = all.slice(0, shownMax);
  const columns = file.head
    .map((name, at) => ({ name, at, target: targets[at] ?? 'none' }))
    .filter(({ target }) => target !== 'none');
  return (
    <Panel
      title={words.preview}
      flush
      actions={
        wrong.length > 0 && (
          <label class="row small">
            <input
              type="checkbox"
              defaultChecked={isOnlyWrong}
              onChange={(event) => setOnlyWrong(event.currentTarget.checked)}
            />
            {words.onlyWrong}
          </label>
        )
      }
    >
      <p class="inside small muted" role="status">
        {words.good(checked.length - wrong.length)}
        {wrong.length > 0 && `; ${words.bad(wrong.length)}`}.{' '}
        {all === wrong
          ? words.shownWrong(shown.length, all.length)
          : words.shown(shown.length, all.length)}
        .
      </p>
      <div class="scroll import-preview" tabIndex={0} role="group" aria-label={words.previewTable}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col" class="number">
                {words.line}
              </th>
              {wrong.length > 0 && <th scope="col">{words.wrong}</th>}
              {columns.map(({ name, at, target }) => (
                <th key={at} scope="col" title={name}>
                  <bdi>{headOf(target)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={row.line} row={row} columns={columns} hasWrong={wrong.length > 0} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Row(props: {
  row: Checked;
  columns: readonly { at: number }[];
  /** Whether any row is wrong. */
  hasWrong: boolean;
}) {
  const { row, columns, hasWrong } = props;
  const problems = row.kind === 'wrong' ? row.problems : [];
  return (
    <tr>
      <th scope="row" class="number">
        {row.line}
      </th>
      {hasWrong && (
        <td class="problem">
          <bdi>{problems.map(({ why }) => why).join('; ')}</bdi>
        </td>
      )}
      {columns.map(({ at }) => {
        const cell = row.cells[at] ?? '';
        return (
          <td key={at} data-wrong={problems.some(({ column }) => column === at)} title={cell}>
            <bdi class="cut">{cell.slice(0, 200)}</bdi>
          </td>
        );
      })}
    </tr>
  );
}

function headOf(target: Target): string {
  if (target.startsWith('metadata.')) return target.slice('metadata.'.length);
  const { targets } = words;
  const known = Object.entries(targets).find(([name]) => name === target);
  return known?.[1] ?? target;
}
