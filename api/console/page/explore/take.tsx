import { useState } from 'preact/hooks';
import { urlOf } from '../client/url.ts';
import { exploreTexts } from '../texts/explore.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Choice } from '../ui/field.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { hasStates, type Points } from './read-points.ts';
import {
  changesQuestion,
  chartQuestion,
  clientLine,
  curlLine,
  exportQuestion,
} from './question.ts';
import { textOf, type View } from './view.ts';

const files = ['csv', 'json', 'ndjson', 'parquet', 'arrow'] as const;
/** Downloads of CSV are for spreadsheets, some of which take UTF-8 for something else without the mark. */
const ofType: Partial<Record<(typeof files)[number], object>> = { csv: { bom: true } };

/** Takes the view elsewhere: as files, and as the same question for a terminal. */
export function Take(props: {
  view: View;
  all: readonly Points[];
  names: readonly string[];
  ends: { from: number; to: number };
  pixels: number;
  onClose: () => void;
}) {
  const { view, all, names, ends, pixels, onClose } = props;
  const [chosen, choose] = useState('0');
  const series = view.series[Number(chosen)] ?? view.series[0];
  if (series === undefined) return null;
  const path = `/reader/${series.format}`;
  // Texts and booleans are drawn by their changes, whatever the aggregate.
  const isOfStates = hasStates(all[view.series.indexOf(series)] ?? { unit: '', points: [] });
  const file = exportQuestion(
    series,
    isOfStates ? { ...view, aggregate: 'none' } : view,
    ends,
    pixels,
  );
  const question = isOfStates
    ? changesQuestion(series, ends)
    : chartQuestion(series, view, ends, pixels);
  const base = new URL('.', document.baseURI).href.replace(/\/$/, '');
  return (
    <Dialog title={exploreTexts.take} onClose={onClose}>
      {view.series.length > 1 && (
        <Choice
          label={exploreTexts.series}
          value={chosen}
          options={view.series.map((one, i) => ({
            value: String(i),
            text: names[i] ?? textOf(one),
          }))}
          onChoose={choose}
        />
      )}
      <div class="stack">
        <div class="row">
          {files.map((convert) => (
            <ButtonLink
              key={convert}
              icon="download"
              href={urlOf(`${path}/export`, {
                ...file,
                convert,
                order: 'time',
                ...ofType[convert],
              })}
              download=""
            >
              {exploreTexts.files[convert]}
            </ButtonLink>
          ))}
        </div>
        <Code label="curl" text={curlLine(base, path, question)} />
        <Code label="millrace" text={clientLine(series.format, question)} />
      </div>
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          {partsTexts.done}
        </Button>
      </div>
    </Dialog>
  );
}
