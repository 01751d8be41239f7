import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import type { RolePlace } from '../roles.ts';
import { rulesTexts } from '../texts/rules.ts';
import { Field } from '../ui/field.tsx';
import type { Draft } from './draft.ts';
import { chosenIn, Options } from './options.tsx';

const words = rulesTexts;
const choices = ['default', 'own', 'nobody'] as const;
const webhooksMax = 200;

export type Hearing = Pick<Draft, 'hears' | 'webhookIds' | 'mails'>;

/** Who is told: by default, or webhooks and addresses that are chosen. */
export function HearingFields(props: {
  place: RolePlace;
  hearing: Hearing;
  named: Readonly<Record<Hearing['hears'], string>>;
  problem: string | undefined;
  isFixed: boolean;
  onChange: (change: Partial<Hearing>) => void;
}) {
  const { hearing, named, problem, isFixed, onChange } = props;
  const { hears, mails } = hearing;
  return (
    <>
      <Field label={words.hears}>
        <select
          class="input"
          disabled={isFixed}
          value={hears}
          onChange={(event) => onChange({ hears: chosenIn(choices, event, hears) })}
        >
          <Options values={choices} named={named} />
        </select>
      </Field>
      {hears === 'own' && (
        <>
          <Webhooks {...props} />
          <Field label={words.mails} hint={words.mailsHint} problem={problem}>
            <textarea
              class="input"
              rows={2}
              spellcheck={false}
              aria-invalid={problem !== undefined}
              readOnly={isFixed}
              value={mails}
              onInput={(event) => onChange({ mails: event.currentTarget.value })}
            />
          </Field>
        </>
      )}
    </>
  );
}

/** The webhooks of the place itself; those of an org show to its owner alone, and stay chosen. */
function Webhooks(props: {
  place: RolePlace;
  hearing: Hearing;
  isFixed: boolean;
  onChange: (change: Partial<Hearing>) => void;
}) {
  const { place, hearing, isFixed, onChange } = props;
  const { value: listed = [] } = useRead(`${place.of} ${place.id}`, async (signal) => {
    const query = { limit: webhooksMax, order: 'name', dir: 'asc' } as const;
    const list = place.of === 'org' ? 'listOrgWebhooks' : 'listGroupWebhooks';
    const { webhooks } = await call(list, { path: { id: place.id }, query }, signal);
    return webhooks.filter(
      (one) =>
        (place.of === 'org' ? one.org_id : one.group_id) === place.id && one.thing_id === undefined,
    );
  });
  const others = hearing.webhookIds
    .filter((id) => !listed.some((one) => one.id === id))
    .map((id) => ({ id, name: words.otherWebhook(id.slice(0, 8)) }));
  const all = [...listed, ...others];
  const toggle = (id: string) =>
    onChange({
      webhookIds: hearing.webhookIds.includes(id)
        ? hearing.webhookIds.filter((one) => one !== id)
        : [...hearing.webhookIds, id],
    });
  return (
    <fieldset class="field checks">
      <legend>{words.webhooks}</legend>
      {all.length === 0 && <small>{words.noWebhooks}</small>}
      {all.map(({ id, name }) => (
        <label key={id}>
          <input
            type="checkbox"
            disabled={isFixed}
            checked={hearing.webhookIds.includes(id)}
            onChange={() => toggle(id)}
          />
          <bdi class="cut">{name}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
