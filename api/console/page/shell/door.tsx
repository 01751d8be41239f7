import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { signInTexts } from '../texts/sign-in.ts';
import { product } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Logo } from '../ui/icons.tsx';

type DoorProps = {
  title: string;
  isTitleHidden?: boolean;
  /** Stands before the fields. */
  children?: ComponentChildren;
  /** Stands before the button. */
  refusal: ComponentChildren;
  emailHint?: string;
  passwordHint?: string;
  /** Whether a password is chosen here, or asked for. */
  password: 'new-password' | 'current-password';
  submit: string;
  isBusy: boolean;
  onSubmit: (email: string, password: string) => void;
};

/** A page for somebody who is not signed in: an address and a password. */
export function Door(props: DoorProps) {
  const { title, isTitleHidden = false, password, emailHint, passwordHint } = props;
  useEffect(() => {
    document.title = `${title} – ${product}`;
  }, [title]);
  return (
    <main class="door">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          props.onSubmit(fieldOf(form, 'email'), fieldOf(form, 'password'));
        }}
      >
        <div class="brand">
          <Logo />
          {product}
        </div>
        <h1 class={isTitleHidden ? 'hidden' : undefined}>{title}</h1>
        {props.children}
        <Field label={signInTexts.email} hint={emailHint}>
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
        <Field label={signInTexts.password} hint={passwordHint}>
          <input
            class="input"
            name="password"
            type="password"
            autocomplete={password}
            minLength={password === 'new-password' ? 8 : undefined}
            maxLength={1024}
            required
          />
        </Field>
        {props.refusal}
        <Button kind="primary" submits disabled={props.isBusy}>
          {props.submit}
        </Button>
      </form>
    </main>
  );
}
