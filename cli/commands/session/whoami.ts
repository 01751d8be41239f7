import type { Call } from '../../invocation/call.ts';

/** Shows the user of commands, and where the token comes from. */
export async function whoami(call: Call): Promise<void> {
  const { urls } = call.settings;
  const user = await call.as(urls.users).users.oneself();
  const from =
    call.find('token') !== undefined
      ? 'the argument'
      : call.context.token !== undefined
        ? 'MILLRACE_TOKEN'
        : 'millrace login';
  await call.output.show({ ...user, server: new URL(urls.users).origin, token_from: from });
}
