import { useEffect } from 'preact/hooks';
import { call } from '../client/call.ts';
import { signIn } from '../client/session.ts';
import { goTo } from '../router.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Logo } from '../ui/icons.tsx';
import { Notice } from '../ui/states.tsx';

const words = texts.register;

/** Makes the account of who was invited by mail, and signs in. An invite to an org then waits for an answer. */
export function Register({ id }: { id: string }) {
  const { failure, isBusy, run } = useAction();
  useEffect(() => {
    document.title = `${words.title} – ${texts.product}`;
  }, []);
  const register = async (form: FormData) => {
    const [email, password] = [fieldOf(form, 'email'), fieldOf(form, 'password')];
    await call('registerByInvite', { path: { id }, body: { email, password } });
    await signIn(email, password);
    goTo('/organization');
  };
  return (
    <main class="door">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run(() => register(form));
        }}
      >
        <div class="brand">
          <Logo />
          {texts.product}
        </div>
        <h1>{words.title}</h1>
        <Field label={texts.signIn.email} hint={words.emailHint}>
          <input
            class="input"
            name="email"
            type="email"
            autocomplete="username"
            maxLength={254}
            required
            autofocus
          />
        </Field>
        <Field label={texts.signIn.password} hint={words.passwordHint}>
          <input
            class="input"
            name="password"
            type="password"
            autocomplete="new-password"
            minLength={8}
            maxLength={1024}
            required
          />
        </Field>
        <Notice failure={failure} />
        <Button kind="primary" submits disabled={isBusy}>
          {words.submit}
        </Button>
      </form>
    </main>
  );
}
