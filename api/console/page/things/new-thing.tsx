import { AnswerError } from '../../../../schemas/client/errors.ts';
import { call, type Thing } from '../client/call.ts';
import { address, goTo } from '../router.ts';
import { thingsTexts } from '../texts/things.ts';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { ProfileField, useChosenProfile } from './profile-field.tsx';
import { thingTypes } from './thing-types.ts';

/** Makes a thing, and leads to its page, which helps with the first message. */
export function NewThing({ onClose }: { onClose: () => void }) {
  const things = thingsTexts;
  const profiles = useChosenProfile({ group: address.value.query['group'] });
  const { reading, chosen } = profiles;
  if (reading.value === undefined || (reading.value.total === 0 && profiles.search === '')) {
    return (
      <Dialog title={things.make} onClose={onClose}>
        <Loaded reading={reading}>
          {() => <Empty title={things.noProfiles} text={things.noProfilesText} />}
        </Loaded>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={things.make}
      action={things.make}
      onClose={onClose}
      submit={async (form) => {
        if (chosen === undefined) throw new Error(things.noSuchProfile);
        const body = [{ name: fieldOf(form, 'name'), type: typeOf(form) }];
        const [made] = (await call('createThings', { path: { id: chosen.id }, body })).things;
        if (made === undefined) throw new AnswerError(location.origin, 'without the thing');
        goTo(`/things/${made.id}`, { tab: 'connect' });
      }}
    >
      <Field label={things.name}>
        <input class="input" name="name" required maxLength={1024} autofocus autocomplete="off" />
      </Field>
      <TypeField />
      <ProfileField label={things.profile} hint={things.profileHint} {...profiles} />
    </FormDialog>
  );
}

/** The type that a form says. */
export const typeOf = (form: FormData): Thing['type'] =>
  thingTypes.find((one) => one === fieldOf(form, 'type')) ?? 'device';

export function TypeField({ type }: { type?: Thing['type'] }) {
  return (
    <Field label={thingsTexts.type}>
      <select class="input" name="type">
        {thingTypes.map((one) => (
          <option key={one} value={one} selected={one === type}>
            {thingsTexts.types[one]}
          </option>
        ))}
      </select>
    </Field>
  );
}
