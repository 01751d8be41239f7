import type { Call } from '../invocation/call.ts';
import { readPasswords } from '../invocation/passwords.ts';
import { askFor } from '../terminal/prompt.ts';
import { UsageError } from '../input/usage.ts';

/** Stores a token of the server for later commands. */
export async function login(call: Call): Promise<void> {
  const { settings, store, context } = call;
  const { stdin, stderr } = context;
  const email = call.find('email') ?? settings.email ?? (await askFor('E-mail: ', stdin, stderr));
  if (email === '') throw new UsageError('an e-mail is needed');
  const [password = ''] = await readPasswords(call, [
    { question: 'Password: ', known: context.password, isNew: false },
  ]);
  const token = await call.anonymous().login(email, password);
  for (const origin of origins(call)) store.keep(origin, { email, token });
  stderr.write(`logged in as ${email} at ${new URL(settings.urls.users).origin}\n`);
}

/** Deletes the stored token. The token itself is valid until it expires. */
export async function logout(call: Call): Promise<void> {
  const forgotten = origins(call).map((origin) => call.store.forget(origin));
  const { origin } = new URL(call.settings.urls.users);
  call.context.stderr.write(
    forgotten.includes(true) ? `logged out at ${origin}\n` : `nobody was logged in at ${origin}\n`,
  );
}

/** The addresses that the token is for: services can have several. Messages need no token. */
function origins(call: Call): string[] {
  const { http: _http, ...urls } = call.settings.urls;
  const given = Object.values(urls).map((url) => new URL(url).origin);
  return [...new Set(given)];
}

/** Shows the user of commands, and where the token comes from. */
export async function whoami(call: Call): Promise<void> {
  const user = await call.ask('viewOwnUser', {});
  const from =
    call.find('token') !== undefined
      ? 'the argument'
      : call.context.token !== undefined
        ? 'MILLRACE_TOKEN'
        : 'millrace login';
  const server = new URL(call.settings.urls.users).origin;
  await call.output.show({ ...user, server, token_from: from });
}
