import { useState } from 'preact/hooks';
import type { Offer } from '../explore/offers.ts';
import { rulesTexts } from '../texts/rules.ts';
import { alarmStatesTexts } from '../texts/alarm-states.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { ConditionFields } from './condition.tsx';
import { type Draft, type DraftCondition, emptyCondition, type Problems } from './draft.ts';
import { HearingFields } from './hearing.tsx';
import { chosenIn, Options } from './options.tsx';
import { ScopeFields } from './scope.tsx';
import { TimeField } from './time-field.tsx';

const words = rulesTexts;
const severities = ['critical', 'warning', 'info'] as const;
const kinds = ['values', 'silence'] as const;
const matches = ['all', 'any'] as const;
const conditionsMax = 5;

type FormProps = {
  groupId: string;
  draft: Draft;
  problems: Problems;
  offers: readonly Offer[];
  isFixed: boolean;
  onChange: (change: Partial<Draft>) => void;
};

/** All that a rule says, to be typed. */
export function RuleFields(props: FormProps) {
  const { groupId, draft, problems, isFixed, onChange } = props;
  return (
    <>
      <Panel>
        <div class="form">
          <Naming {...props} />
          <ScopeFields {...props} />
        </div>
      </Panel>
      <Panel title={words.fires}>
        <div class="form">
          <Field label={words.kind}>
            <select
              class="input"
              disabled={isFixed}
              value={draft.watches}
              onChange={(event) => onChange({ watches: chosenIn(kinds, event, draft.watches) })}
            >
              <Options values={kinds} named={words.kinds} />
            </select>
          </Field>
          {draft.watches === 'values' && <Conditions {...props} />}
          <Times {...props} />
        </div>
      </Panel>
      <Panel title={words.tells}>
        <div class="form">
          <HearingFields
            place={{ of: 'group', id: groupId }}
            hearing={draft}
            named={words.hearings}
            problem={problems['receivers']}
            isFixed={isFixed}
            onChange={onChange}
          />
          <TimeField
            label={words.repeat}
            hint={words.repeatHint}
            problem={problems['repeat_every']}
            time={draft.repeat}
            isFixed={isFixed}
            onChange={(repeat) => onChange({ repeat })}
          />
        </div>
      </Panel>
    </>
  );
}

function Naming({ draft, problems, isFixed, onChange }: FormProps) {
  return (
    <>
      <Field label={words.name} hint={words.nameHint} problem={problems['name']}>
        <input
          class="input"
          maxLength={254}
          autocomplete="off"
          aria-invalid={problems['name'] !== undefined}
          readOnly={isFixed}
          value={draft.name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </Field>
      <Field label={words.severity}>
        <select
          class="input"
          disabled={isFixed}
          value={draft.severity}
          onChange={(event) => onChange({ severity: chosenIn(severities, event, draft.severity) })}
        >
          <Options values={severities} named={alarmStatesTexts.severities} />
        </select>
      </Field>
    </>
  );
}

function Conditions({ draft, problems, offers, isFixed, onChange }: FormProps) {
  const { conditions, match } = draft;
  const change = (at: number, changed: Partial<DraftCondition>) =>
    onChange({
      conditions: conditions.map((one, other) => (other === at ? { ...one, ...changed } : one)),
    });
  const remove = (at: number) =>
    onChange({ conditions: conditions.filter((_, other) => other !== at) });
  return (
    <>
      {conditions.length > 1 && (
        <Field label={words.match}>
          <select
            class="input"
            disabled={isFixed}
            value={match}
            onChange={(event) => onChange({ match: chosenIn(matches, event, match) })}
          >
            <Options values={matches} named={words.matches} />
          </select>
        </Field>
      )}
      {conditions.map((condition, at) => (
        <ConditionFields
          key={condition.key}
          at={at}
          condition={condition}
          offers={offers}
          problemOf={(field) => problems[`conditions.${at}.${field}`]}
          isFixed={isFixed}
          onChange={(changed) => change(at, changed)}
          {...(conditions.length > 1 && { onRemove: () => remove(at) })}
        />
      ))}
      {!isFixed && conditions.length < conditionsMax && (
        <div class="row">
          <Button
            icon="plus"
            onClick={() => onChange({ conditions: [...conditions, emptyCondition()] })}
          >
            {words.addCondition}
          </Button>
        </div>
      )}
    </>
  );
}

function Times(props: FormProps) {
  const { draft, problems, isFixed, onChange } = props;
  const isSilent = draft.watches === 'silence';
  return (
    <>
      <TimeField
        label={isSilent ? words.silentFor : words.for}
        {...(!isSilent && { hint: words.forHint })}
        problem={problems['for']}
        time={draft.for}
        isFixed={isFixed}
        onChange={(time) => onChange({ for: time })}
      />
      {!isSilent && <OtherTimes {...props} />}
    </>
  );
}

/** Times that most rules leave as they are. */
function OtherTimes({ draft, problems, isFixed, onChange }: FormProps) {
  const { clearFor, gap } = draft;
  const [isOpen] = useState(clearFor.amount !== '' || gap.amount !== '');
  return (
    <details open={isOpen}>
      <summary>{words.more}</summary>
      <div class="form">
        <TimeField
          label={words.clearFor}
          hint={words.clearForHint}
          problem={problems['clear_for']}
          time={clearFor}
          isFixed={isFixed}
          onChange={(time) => onChange({ clearFor: time })}
        />
        <TimeField
          label={words.gap}
          hint={words.gapHint}
          problem={problems['gap']}
          time={gap}
          isFixed={isFixed}
          onChange={(time) => onChange({ gap: time })}
        />
      </div>
    </details>
  );
}
