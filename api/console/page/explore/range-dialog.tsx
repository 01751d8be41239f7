import { exploreTexts } from '../texts/explore.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { instantOf, wallTime } from './wall-time.ts';

type Ends = { from: number; to: number };

/** A range by hand, in the time zone of what is drawn. */
export function RangeDialog(props: {
  ends: Ends;
  timeZone: string;
  onRange: (ends: Ends) => void;
  onClose: () => void;
}) {
  const explore = exploreTexts;
  const { ends, timeZone } = props;
  return (
    <FormDialog
      title={explore.range}
      action={explore.show}
      onClose={props.onClose}
      submit={async (form) => {
        const from = instantOf(fieldOf(form, 'from'), timeZone);
        const to = instantOf(fieldOf(form, 'to'), timeZone);
        if (!(from < to)) throw new RangeError(explore.wrongRange);
        props.onRange({ from, to });
      }}
    >
      <p class="muted">{explore.zoneHint(timeZone)}</p>
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={explore[name]}>
          <input
            class="input"
            type="datetime-local"
            name={name}
            step="1"
            required
            defaultValue={wallTime(ends[name], timeZone)}
          />
        </Field>
      ))}
    </FormDialog>
  );
}
