import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/field.tsx';
import { RangeDialog } from './range-dialog.tsx';
import { aggregates, fixedRange, lastOf, type Range, ranges, type View } from './view.ts';
import { exploreTexts } from '../texts/explore.ts';

type Ends = { from: number; to: number };

type ControlsProps = {
  view: View;
  ends: Ends;
  change: (changed: Partial<View>) => void;
  setRange: (range: Range) => void;
  areOptionsOpen: boolean;
  onOptions: () => void;
  /** Stands at the end. */
  children: ComponentChildren;
};

/** Chooses the range and moves in it, the aggregate and live mode. Options open below, and what they say is for the whole view. */
export function Controls(props: ControlsProps) {
  const { view, ends, change, setRange, areOptionsOpen, onOptions, children } = props;
  const explore = exploreTexts;
  return (
    <div class="controls">
      <RangeControls view={view} ends={ends} setRange={setRange} />
      <span class="row">
        <Choice
          label={explore.aggregate}
          value={view.aggregate}
          options={(['none', ...aggregates] as const).map((value) => ({
            value,
            text: explore.aggregates[value],
          }))}
          onChoose={(aggregate) => change({ aggregate })}
        />
        <Button
          icon={view.isLive ? 'pause' : 'play'}
          label={explore.live}
          pressed={view.isLive}
          disabled={view.range.kind === 'fixed'}
          onClick={() => change({ isLive: !view.isLive })}
        >
          <span class="wide">{explore.live}</span>
        </Button>
        <Button icon="options" label={explore.options} pressed={areOptionsOpen} onClick={onOptions}>
          <span class="wide">{explore.options}</span>
        </Button>
        {children}
      </span>
    </div>
  );
}

function RangeControls({
  view,
  ends,
  setRange,
}: Pick<ControlsProps, 'view' | 'ends' | 'setRange'>) {
  const explore = exploreTexts;
  const [isOpen, setOpen] = useState(false);
  const span = ends.to - ends.from;
  const move = (share: number) =>
    setRange(fixedRange(ends.from + span * share, ends.to + span * share));
  return (
    <span class="row">
      <fieldset class="ranges">
        <legend class="hidden">{explore.range}</legend>
        {ranges.map((text) => (
          <Button
            key={text}
            kind="quiet"
            label={explore.last(text)}
            pressed={view.range.kind === 'last' && view.range.text === text}
            onClick={() => {
              const range = lastOf(text);
              if (range !== undefined) setRange(range);
            }}
          >
            {text}
          </Button>
        ))}
        <Button kind="quiet" pressed={view.range.kind === 'fixed'} onClick={() => setOpen(true)}>
          {explore.fixed}
        </Button>
      </fieldset>
      <Button kind="quiet" icon="left" label={explore.earlier} onClick={() => move(-0.5)} />
      <Button kind="quiet" icon="right" label={explore.later} onClick={() => move(0.5)} />
      <Button
        kind="quiet"
        icon="wider"
        label={explore.wider}
        onClick={() => setRange(fixedRange(ends.from - span / 2, ends.to + span / 2))}
      />
      {isOpen && (
        <RangeDialog
          ends={ends}
          timeZone={view.timeZone}
          onRange={({ from, to }) => setRange({ kind: 'fixed', from, to })}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}
