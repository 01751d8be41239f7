import { call } from '../client/call.ts';
import { AnswerError } from '../../../../schemas/client/errors.ts';
import { useRead } from '../client/use-read.ts';
import { goTo } from '../router.ts';

import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { thingsTexts } from '../texts/things.ts';

const profilesMax = 49;

const types = ['sensor', 'actuator', 'device', 'controller', 'gateway'] as const;

/** Makes a thing, and leads to its page, which helps with the first message. */
export function NewThing({ onClose }: { onClose: () => void }) {
  const things = thingsTexts;
  const reading = useRead('', (signal) =>
    call('listProfiles', { query: { limit: profilesMax, order: 'name', dir: 'asc' } }, signal),
  );
  if (reading.value === undefined || reading.value.profiles.length === 0) {
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
        const type = types.find((one) => one === fieldOf(form, 'type')) ?? 'device';
        const body = [{ name: fieldOf(form, 'name'), type }];
        const path = { id: fieldOf(form, 'profile') };
        const [made] = (await call('createThings', { path, body })).things;
        if (made === undefined) throw new AnswerError(location.origin, 'without the thing');
        goTo(`/things/${made.id}`, { tab: 'connect' });
      }}
    >
      <Field label={things.name}>
        <input class="input" name="name" required maxLength={1024} autofocus autocomplete="off" />
      </Field>
      <Field label={things.type}>
        <select class="input" name="type">
          {types.map((type) => (
            <option key={type} value={type}>
              {things.types[type]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={things.profile} hint={things.profileHint}>
        <select class="input" name="profile">
          {reading.value.profiles.map(({ id, name }) => (
            <option key={id} value={id}>
              {name.slice(0, 80)}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  );
}
