import { useId } from 'preact/hooks';
import type { Offer } from '../explore/offers.ts';
import { rulesTexts } from '../texts/rules.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { comparisons, type DraftCondition, oppositeOf } from './draft.ts';
import { chosenIn, Options } from './options.tsx';

const words = rulesTexts;
const formats = ['senml', 'json'] as const;
const topics = ['all', 'none', 'one'] as const;
const kinds = ['number', 'text', 'boolean'] as const;

type ConditionProps = {
  at: number;
  condition: DraftCondition;
  offers: readonly Offer[];
  /** Problems of its own fields. */
  problemOf: (field: string) => string | undefined;
  isFixed: boolean;
  onChange: (change: Partial<DraftCondition>) => void;
  /** Absent for the only one. */
  onRemove?: () => void;
};

/** One comparison of a series. */
export function ConditionFields(props: ConditionProps) {
  const { at, condition, problemOf, isFixed, onChange, onRemove } = props;
  const { when } = condition;
  const isRange = when === 'between' || when === 'outside';
  return (
    <fieldset class="condition">
      <legend class="hidden">{words.condition(at + 1)}</legend>
      <SeriesFields {...props} />
      <TopicFields {...props} />
      <div class="compared">
        <Field label={words.when}>
          <select
            class="input"
            disabled={isFixed}
            value={when}
            onChange={(event) => onChange({ when: chosenIn(comparisons, event, when) })}
          >
            <Options values={comparisons} named={words.whens} />
          </select>
        </Field>
        {isRange ? (
          <>
            <NumberField {...props} label={words.low} field="low" />
            <NumberField {...props} label={words.high} field="high" />
          </>
        ) : (
          <ValueFields {...props} />
        )}
        {oppositeOf(when) !== undefined && condition.otherClear === undefined && (
          <ClearField {...props} />
        )}
      </div>
      {condition.otherClear !== undefined && <p class="small muted">{words.otherClear}</p>}
      {problemOf('when') !== undefined && <p class="problem small">{problemOf('when')}</p>}
      {onRemove !== undefined && !isFixed && (
        <span class="remove">
          <Button kind="quiet" icon="close" label={words.remove(at + 1)} onClick={onRemove} />
        </span>
      )}
    </fieldset>
  );
}

function SeriesFields({ condition, offers, problemOf, isFixed, onChange }: ConditionProps) {
  const id = useId();
  const { format, name } = condition;
  const offered = offers.filter((offer) => offer.format === format);
  const type = (typed: string) => {
    // A name that only JSON has is a path.
    const fits = offers.filter((offer) => offer.name === typed);
    const other = fits.some((offer) => offer.format === format) ? undefined : fits[0];
    onChange({ name: typed, ...(other === undefined ? {} : { format: other.format }) });
  };
  return (
    <div class="named">
      <datalist id={id}>
        {(offered.length > 0 ? offered : offers).map((offer) => (
          <option key={`${offer.format} ${offer.name}`} value={offer.name}>
            {offer.value}
          </option>
        ))}
      </datalist>
      <Field label={words.series} hint={words.seriesHint} problem={problemOf('name')}>
        <input
          class="input"
          list={id}
          maxLength={1024}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problemOf('name') !== undefined}
          readOnly={isFixed}
          value={name}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </Field>
      <Field label={words.format}>
        <select
          class="input"
          disabled={isFixed}
          value={format}
          onChange={(event) => onChange({ format: chosenIn(formats, event, format) })}
        >
          <Options values={formats} named={words.formats} />
        </select>
      </Field>
    </div>
  );
}

/** Of messages of which subtopic. */
function TopicFields({ condition, problemOf, isFixed, onChange }: ConditionProps) {
  const { topics: chosen, subtopic } = condition;
  return (
    <div class="topics">
      <Field label={words.topics} hint={words.topicsHint}>
        <select
          class="input"
          disabled={isFixed}
          value={chosen}
          onChange={(event) => onChange({ topics: chosenIn(topics, event, chosen) })}
        >
          <Options values={topics} named={words.topicsOf} />
        </select>
      </Field>
      {chosen === 'one' && (
        <Field label={words.subtopic} problem={problemOf('subtopic')}>
          <input
            class="input"
            maxLength={254}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problemOf('subtopic') !== undefined}
            readOnly={isFixed}
            value={subtopic}
            onInput={(event) => onChange({ subtopic: event.currentTarget.value })}
          />
        </Field>
      )}
    </div>
  );
}

function NumberField(
  props: ConditionProps & {
    label: string;
    field: 'value' | 'low' | 'high' | 'clear';
    hint?: string;
  },
) {
  const { condition, problemOf, isFixed, onChange, label, field, hint } = props;
  return (
    <Field label={label} hint={hint} problem={problemOf(field)}>
      <input
        class="input"
        inputMode="decimal"
        autocomplete="off"
        aria-invalid={problemOf(field) !== undefined}
        readOnly={isFixed}
        value={condition[field]}
        onInput={(event) => onChange({ [field]: event.currentTarget.value })}
      />
    </Field>
  );
}

/** Compares with a value. Only whether it is the same can be asked of a text or a boolean. */
function ValueFields(props: ConditionProps) {
  const { condition, isFixed, problemOf, onChange } = props;
  const { when, kind, value } = condition;
  if (when !== '==' && when !== '!=') {
    return <NumberField {...props} label={words.value} field="value" />;
  }
  return (
    <>
      <Field label={words.valueKind}>
        <select
          class="input"
          disabled={isFixed}
          value={kind}
          onChange={(event) => onChange({ kind: chosenIn(kinds, event, kind), value: '' })}
        >
          <Options values={kinds} named={words.valueKinds} />
        </select>
      </Field>
      {kind === 'boolean' ? (
        <Field label={words.value} problem={problemOf('value')}>
          <select
            class="input"
            disabled={isFixed}
            aria-invalid={problemOf('value') !== undefined}
            value={value}
            onChange={(event) => onChange({ value: event.currentTarget.value })}
          >
            <option value="">{words.choose}</option>
            <option value="true">{words.yes}</option>
            <option value="false">{words.no}</option>
          </select>
        </Field>
      ) : (
        <Field label={words.value} problem={problemOf('value')}>
          <input
            class="input"
            maxLength={1024}
            autocomplete="off"
            aria-invalid={problemOf('value') !== undefined}
            readOnly={isFixed}
            value={value}
            onInput={(event) => onChange({ value: event.currentTarget.value })}
          />
        </Field>
      )}
    </>
  );
}

/** The number at which it is over: a distance from the one at which it fires. */
function ClearField(props: ConditionProps) {
  const end = oppositeOf(props.condition.when) ?? '<';
  return <NumberField {...props} label={words.clears[end]} hint={words.clearHint} field="clear" />;
}
