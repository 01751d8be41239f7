import { useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import { ownName, saveOwnName } from '../client/own-name.ts';
import type { User } from '../client/session.ts';
import { setTheme, theme, themes } from '../theme.ts';
import { browserTimeZone, chosenTimeZone, setTimeZone } from '../time-zone.ts';
import { youTexts } from '../texts/you.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Choice, Field, fieldOf } from '../ui/field.tsx';
import { Panel } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';

const words = youTexts;
const zones = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** One's name, e-mail and password, how the console looks, and the zone of its times. */
export function Account({ user }: { user: User }) {
  const [isChanging, setChanging] = useState<'name' | 'password'>();
  const close = () => setChanging(undefined);
  return (
    <Panel title={words.tabs.account}>
      <dl class="facts">
        <dt>{words.name}</dt>
        <dd class="row">
          <bdi class="break">{ownName.value || words.noName}</bdi>
          <Button onClick={() => setChanging('name')}>{words.changeName}</Button>
        </dd>
        <dt>{words.email}</dt>
        <dd>
          <bdi class="break">{user.email}</bdi>
        </dd>
        <dt>{words.password}</dt>
        <dd>
          <Button onClick={() => setChanging('password')}>{words.changePassword}</Button>
        </dd>
        <dt>{words.theme}</dt>
        <dd>
          <Choice
            label={words.theme}
            value={theme.value}
            options={themes.map((value) => ({ value, text: words.themes[value] }))}
            onChoose={setTheme}
          />
        </dd>
        <dt>{words.timeZone}</dt>
        <dd>
          <Choice
            label={words.timeZone}
            value={chosenTimeZone ?? ''}
            options={[
              { value: '', text: words.browserZone(browserTimeZone) },
              ...zones.map((value) => ({ value, text: value })),
            ]}
            onChoose={(zone) => setTimeZone(zone === '' ? undefined : zone)}
          />
        </dd>
      </dl>
      {isChanging === 'name' && <NameDialog onClose={close} />}
      {isChanging === 'password' && <PasswordDialog onClose={close} />}
    </Panel>
  );
}

function NameDialog({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      title={words.changeName}
      action={words.changeName}
      submit={(form) => saveOwnName(fieldOf(form, 'name').trim())}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint}>
        <input
          class="input"
          name="name"
          autocomplete="name"
          maxLength={200}
          defaultValue={ownName.value}
        />
      </Field>
    </FormDialog>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const submit = async (form: FormData) => {
    const body = { old_password: fieldOf(form, 'old'), password: fieldOf(form, 'new') };
    await call('changeOwnPassword', { body });
    say(words.changed);
  };
  return (
    <FormDialog
      title={words.changePassword}
      action={words.changePassword}
      submit={submit}
      onClose={onClose}
    >
      <Field label={words.oldPassword} of="old_password">
        <input class="input" name="old" type="password" autocomplete="current-password" required />
      </Field>
      <Field label={words.newPassword} hint={words.newPasswordHint} of="password">
        <input
          class="input"
          name="new"
          type="password"
          autocomplete="new-password"
          minLength={8}
          required
        />
      </Field>
    </FormDialog>
  );
}
