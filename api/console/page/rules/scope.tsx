import { useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { useNames } from './use-names.ts';
import { rulesTexts } from '../texts/rules.ts';
import { exploreTexts } from '../texts/explore.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Field, Search } from '../ui/field.tsx';
import type { Draft, Problems } from './draft.ts';
import { chosenIn, Options } from './options.tsx';

const words = rulesTexts;
const scopes = ['group', 'profile', 'things'] as const;
const profilesMax = 200;
const offeredMax = 8;
const shownMax = 30;

type ScopeProps = {
  groupId: string;
  draft: Draft;
  problems: Problems;
  isFixed: boolean;
  onChange: (change: Partial<Draft>) => void;
};

/** The things that a rule is about. */
export function ScopeFields(props: ScopeProps) {
  const { draft, isFixed, onChange } = props;
  return (
    <>
      <Field label={words.scope}>
        <select
          class="input"
          disabled={isFixed}
          value={draft.scope}
          onChange={(event) => onChange({ scope: chosenIn(scopes, event, draft.scope) })}
        >
          <Options values={scopes} named={words.scopes} />
        </select>
      </Field>
      {draft.scope === 'profile' && <ProfileField {...props} />}
      {draft.scope === 'things' && <ThingFields {...props} />}
    </>
  );
}

function ProfileField({ groupId, draft, problems, isFixed, onChange }: ScopeProps) {
  const { value } = useRead(groupId, (signal) =>
    call(
      'listGroupProfiles',
      { path: { id: groupId }, query: { limit: profilesMax, order: 'name', dir: 'asc' } },
      signal,
    ),
  );
  const problem = problems['profile_id'];
  return (
    <Field label={words.profile} problem={problem}>
      <select
        class="input"
        disabled={isFixed}
        aria-invalid={problem !== undefined}
        value={draft.profileId}
        onChange={(event) => onChange({ profileId: event.currentTarget.value })}
      >
        <option value="">{words.choose}</option>
        {(value?.profiles ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

function ThingFields({ groupId, draft, problems, isFixed, onChange }: ScopeProps) {
  const [name, setName] = useState('');
  const shown = draft.thingIds.slice(0, shownMax);
  const names = useNames(shown);
  const { value } = useRead(isFixed ? undefined : `${groupId} ${name}`, (signal) =>
    call(
      'listGroupThings',
      { path: { id: groupId }, query: { name, limit: offeredMax, order: 'name', dir: 'asc' } },
      signal,
    ),
  );
  const offered = (value?.things ?? []).filter(({ id }) => !draft.thingIds.includes(id));
  const remove = (id: string) =>
    onChange({ thingIds: draft.thingIds.filter((other) => other !== id) });
  return (
    <div class="field">
      <span>{words.things}</span>
      <ul class="chips">
        {shown.map((id) => (
          <li key={id}>
            <bdi class="cut">{names.get(id) ?? '…'}</bdi>
            {!isFixed && (
              <Button
                kind="quiet"
                icon="close"
                label={exploreTexts.remove(names.get(id) ?? id)}
                onClick={() => remove(id)}
              />
            )}
          </li>
        ))}
        {draft.thingIds.length > shownMax && (
          <li class="muted">+{partsTexts.number(draft.thingIds.length - shownMax)}</li>
        )}
      </ul>
      {!isFixed && (
        // A search sends no rule.
        <div onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}>
          <Search label={words.findThing} value={name} onSearch={setName} />
          <ul class="choices">
            {offered.map((thing) => (
              <li key={thing.id}>
                <button
                  type="button"
                  onClick={() => onChange({ thingIds: [...draft.thingIds, thing.id] })}
                >
                  <bdi class="cut">{thing.name}</bdi>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {problems['thing_ids'] !== undefined && (
        <small class="problem">{problems['thing_ids']}</small>
      )}
    </div>
  );
}
