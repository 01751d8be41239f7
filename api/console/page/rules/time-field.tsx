import { rulesTexts } from '../texts/rules.ts';
import { type DraftTime, timeUnits } from './draft.ts';

const words = rulesTexts;

/** A time: a number, and its unit. */
export function TimeField(props: {
  label: string;
  hint?: string;
  problem: string | undefined;
  time: DraftTime;
  isFixed: boolean;
  onChange: (time: DraftTime) => void;
}) {
  const { label, hint, problem, time, isFixed, onChange } = props;
  return (
    <div class="field">
      <span>{label}</span>
      <div class="timed">
        <input
          class="input"
          type="number"
          min={0}
          step="any"
          aria-label={label}
          aria-invalid={problem !== undefined}
          readOnly={isFixed}
          value={time.amount}
          onInput={(event) => onChange({ ...time, amount: event.currentTarget.value })}
        />
        <select
          class="input"
          aria-label={words.unitOf(label)}
          disabled={isFixed}
          value={time.unit}
          onChange={(event) => onChange({ ...time, unit: Number(event.currentTarget.value) })}
        >
          {timeUnits.map((unit) => (
            <option key={unit} value={unit}>
              {words.units[unit]}
            </option>
          ))}
        </select>
      </div>
      {problem !== undefined && <small class="problem">{problem}</small>}
      {problem === undefined && hint !== undefined && <small>{hint}</small>}
    </div>
  );
}
