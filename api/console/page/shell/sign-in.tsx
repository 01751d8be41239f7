import type { Failure } from '../client/failure.ts';
import { session, signIn, userIn } from '../client/session.ts';
import { address } from '../router.ts';
import { signInTexts } from '../texts/sign-in.ts';
import { useAction } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { Door } from './door.tsx';

/** Asks who it is. What the address names is opened after that. */
export function SignIn() {
  const { failure, isBusy, run } = useAction();
  const enter = async (email: string, password: string) => {
    await signIn(email, password);
    followNext();
  };
  return (
    <Door
      title={signInTexts.title}
      isTitleHidden
      password="current-password"
      refusal={<Refusal failure={failure} />}
      submit={signInTexts.submit}
      isBusy={isBusy}
      onSubmit={(email, password) => void run(() => enter(email, password))}
    >
      {session.value.kind === 'ended' && (
        <p class="notice" data-tone="warn" role="status">
          {signInTexts.ended}
        </p>
      )}
    </Door>
  );
}

function Refusal({ failure }: { failure: Failure | undefined }) {
  const text =
    failure?.status === 401
      ? signInTexts.wrong
      : failure?.status === 429
        ? signInTexts.tooMany(failure.retryAfterSeconds ?? 60)
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
  const { path, query } = address.value;
  if (path !== '/sign-in' || userIn(session.value) === undefined) return;
  const next = URL.parse(query['next'] ?? '', location.origin);
  if (next === null || next.origin !== location.origin || query['next'] === undefined) {
    location.hash = '#/';
  } else location.assign(next);
}
