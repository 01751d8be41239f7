import { call } from '../client/call.ts';
import { signIn } from '../client/session.ts';
import { goTo } from '../router.ts';
import { registerTexts } from '../texts/register.ts';
import { useAction } from '../ui/form.tsx';
import { Notice } from '../ui/states.tsx';
import { Door } from './door.tsx';

const words = registerTexts;

/** Makes the account of who was invited by mail, and signs in. An invite to an org then waits for an answer. */
export function Register({ id }: { id: string }) {
  const { failure, isBusy, run } = useAction();
  const register = async (email: string, password: string) => {
    await call('registerByInvite', { path: { id }, body: { email, password } });
    await signIn(email, password);
    goTo('/organization');
  };
  return (
    <Door
      title={words.title}
      emailHint={words.emailHint}
      password="new-password"
      passwordHint={words.passwordHint}
      refusal={<Notice failure={failure} />}
      submit={words.submit}
      isBusy={isBusy}
      onSubmit={(email, password) => void run(() => register(email, password))}
    />
  );
}
