import type { Threshold } from '../../../../schemas/dashboards/content.ts';
import { tones } from '../../../../schemas/dashboards/members.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/field.tsx';

const words = dashboardsTexts;
const thresholdsMax = 10;

/** From which values on it is good or bad. */
export function ThresholdFields({
  thresholds,
  onChange,
}: {
  thresholds: readonly Threshold[];
  onChange: (thresholds: Threshold[]) => void;
}) {
  const set = (at: number, change: Partial<Threshold>) =>
    onChange(thresholds.map((one, i) => (i === at ? { ...one, ...change } : one)));
  return (
    <>
      <h3>{words.thresholds}</h3>
      {thresholds.map(({ value, tone }, at) => (
        <div key={at} class="threshold-fields">
          <input
            class="input number"
            type="number"
            step="any"
            aria-label={`${words.thresholds} ${at + 1}: ${words.from}`}
            value={value}
            onChange={({ currentTarget }) => set(at, { value: Number(currentTarget.value) })}
          />
          <Choice
            label={`${words.thresholds} ${at + 1}: ${words.tone}`}
            value={tone}
            options={tones.map((one) => ({ value: one, text: words.tones[one] }))}
            onChoose={(chosen) => set(at, { tone: chosen })}
          />
          <Button
            kind="quiet"
            icon="close"
            label={words.removeThreshold(at + 1)}
            onClick={() => onChange(thresholds.filter((_, i) => i !== at))}
          />
        </div>
      ))}
      <p>
        <Button
          icon="plus"
          disabled={thresholds.length >= thresholdsMax}
          onClick={() => onChange([...thresholds, { value: 0, tone: 'bad' }])}
        >
          {words.addThreshold}
        </Button>
      </p>
    </>
  );
}
