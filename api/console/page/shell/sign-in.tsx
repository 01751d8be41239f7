import { useEffect } from 'preact/hooks';
import type { Failure } from '../client/failure.ts';
import { session, signIn, userIn } from '../client/session.ts';
import { place } from '../router.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Logo } from '../ui/icons.tsx';
import { Notice } from '../ui/states.tsx';

/** Asks who it is. What the address names is opened after that. */
export function SignIn() {
  const { failure, isBusy, run } = useAction();
  useEffect(() => {
    document.title = `${texts.signIn.title} – ${texts.product}`;
  }, []);
  return (
    <main class="door">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run(async () => {
            await signIn(fieldOf(form, 'email'), fieldOf(form, 'password'));
            followNext();
          });
        }}
      >
        <div class="brand">
          <Logo />
          {texts.product}
        </div>
        <h1 class="hidden">{texts.signIn.title}</h1>
        {session.value === 'ended' && (
          <p class="notice" data-tone="warn" role="status">
            {texts.signIn.ended}
          </p>
        )}
        <Field label={texts.signIn.email}>
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
        <Field label={texts.signIn.password}>
          <input
            class="input"
            name="password"
            type="password"
            autocomplete="current-password"
            maxLength={1024}
            required
          />
        </Field>
        <Refusal failure={failure} />
        <Button kind="primary" submits disabled={isBusy}>
          {texts.signIn.submit}
        </Button>
      </form>
    </main>
  );
}

function Refusal({ failure }: { failure: Failure | undefined }) {
  const text =
    failure?.status === 401
      ? texts.signIn.wrong
      : failure?.status === 429
        ? texts.signIn.tooMany(failure.retryAfterSeconds ?? 60)
        : undefined;
  if (text === undefined) return <Notice failure={failure} />;
  return (
    <p class="notice" role="alert">
      {text}
    </p>
  );
}

/** Another page of this service may have sent here, to come back to it. */
function followNext(): void {
  const { path, query } = place.value;
  if (path !== '/sign-in' || userIn(session.value) === undefined) return;
  const next = URL.parse(query['next'] ?? '', location.origin);
  if (next === null || next.origin !== location.origin || query['next'] === undefined) {
    location.hash = '#/';
  } else location.assign(next);
}
