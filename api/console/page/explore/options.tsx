import { useMemo, useState } from 'preact/hooks';
import { type AxisEnds, styles } from '../chart/props.ts';
import { exploreTexts } from '../texts/explore.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Choice, Field, fieldOf } from '../ui/field.tsx';
import { intervalTexts } from './intervals.ts';
import { befores, gapKindsOf, marks, type View } from './view.ts';
import { browserTimeZone, ownTimeZone } from '../time-zone.ts';
import { unitText } from '../../../../schemas/messages/units.ts';

const texts = exploreTexts;

type OptionsProps = {
  view: View;
  /** The units that have an axis. */
  units: readonly string[];
  change: (changed: Partial<View>) => void;
};

/** How values are put together, how they are drawn, and what is marked beside them. */
export function Options({ view, units, change }: OptionsProps) {
  return (
    <div class="options">
      <Reading view={view} change={change} />
      <Drawing view={view} units={units} change={change} />
      <fieldset class="marks">
        <legend>{texts.marks}</legend>
        {marks.map((mark) => (
          <label key={mark}>
            <input
              type="checkbox"
              checked={view.marks.includes(mark)}
              onChange={({ currentTarget: { checked } }) =>
                change({
                  marks: marks.filter((one) => (one === mark ? checked : view.marks.includes(one))),
                })
              }
            />
            {texts.markKinds[mark]}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Reading({ view, change }: Omit<OptionsProps, 'units'>) {
  const zones = useMemo(() => zoneOptions(view.timeZone), [view.timeZone]);
  return (
    <>
      {view.aggregate !== 'none' && (
        <Field label={texts.interval}>
          <Choice
            label={texts.interval}
            value={view.interval}
            options={intervalTexts.map((value) => ({ value, text: texts.intervalTexts[value] }))}
            onChoose={(interval) => change({ interval })}
          />
        </Field>
      )}
      <Field label={texts.gaps}>
        <Choice
          label={texts.gaps}
          value={view.gaps}
          options={gapKindsOf(view.aggregate).map((value) => ({
            value,
            text: texts.gapKinds[value],
          }))}
          onChoose={(gaps) => change({ gaps })}
        />
      </Field>
      <Field label={texts.before}>
        <Choice
          label={texts.before}
          value={view.before}
          options={befores.map((value) => ({ value, text: texts.befores[value] }))}
          onChoose={(before) => change({ before })}
        />
      </Field>
      <Field label={texts.timeZone}>
        <Choice
          label={texts.timeZone}
          value={view.timeZone}
          options={zones}
          onChoose={(timeZone) => change({ timeZone })}
        />
      </Field>
    </>
  );
}

const zoneOptions = (chosen: string) =>
  [
    ...new Set([
      ownTimeZone,
      browserTimeZone,
      'UTC',
      chosen,
      ...Intl.supportedValuesOf('timeZone'),
    ]),
  ].map((value) => ({ value, text: value }));

function Drawing({ view, units, change }: OptionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Field label={texts.style}>
        <Choice
          label={texts.style}
          value={view.style}
          options={styles.map((value) => ({ value, text: texts.styles[value] }))}
          onChoose={(style) => change({ style })}
        />
      </Field>
      <Field label={texts.scale}>
        <Choice
          label={texts.scale}
          value={view.isLog ? 'log' : 'linear'}
          options={(['linear', 'log'] as const).map((value) => ({
            value,
            text: texts.scales[value],
          }))}
          onChoose={(scale) => change({ isLog: scale === 'log' })}
        />
      </Field>
      <Button
        pressed={Object.keys(view.axisEnds).length > 0}
        disabled={units.length === 0}
        onClick={() => setOpen(true)}
      >
        {texts.axes}
      </Button>
      {isOpen && (
        <AxisDialog view={view} units={units} change={change} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function AxisDialog({ view, units, change, onClose }: OptionsProps & { onClose: () => void }) {
  return (
    <FormDialog
      title={texts.axesTitle}
      action={texts.show}
      onClose={onClose}
      submit={async (form) => {
        const read = units.map((unit, i) => [unit, endsIn(form, i, unit, view.isLog)] as const);
        const others = Object.entries(view.axisEnds).filter(([unit]) => !units.includes(unit));
        const chosen = read.filter(([, ends]) => Object.keys(ends).length > 0);
        change({ axisEnds: Object.fromEntries([...others, ...chosen]) });
      }}
    >
      <p class="muted">{texts.axesHint}</p>
      {units.map((unit, i) => (
        <fieldset key={unit} class="axis-ends">
          <legend>
            <bdi class="break">{texts.axisOf(unitText(unit))}</bdi>
          </legend>
          {(['from', 'to'] as const).map((end) => (
            <Field key={end} label={end === 'from' ? texts.low : texts.high}>
              <input
                class="input"
                type="number"
                step="any"
                name={`${end}${i}`}
                defaultValue={view.axisEnds[unit]?.[end]?.toString() ?? ''}
              />
            </Field>
          ))}
        </fieldset>
      ))}
    </FormDialog>
  );
}

/** @throws RangeError for ends of which no axis can be made */
function endsIn(form: FormData, i: number, unit: string, isLog: boolean): AxisEnds {
  const read = (end: string) => {
    const text = fieldOf(form, `${end}${i}`).trim();
    return text === '' ? undefined : Number(text);
  };
  const [from, to] = [read('from'), read('to')];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new RangeError(texts.wrongEnds(unit));
  }
  if (isLog && ((from ?? 1) <= 0 || (to ?? 1) <= 0)) throw new RangeError(texts.wrongLog);
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
