import { having } from '../client/shape.ts';
import type { Call } from '../call.ts';
import type { AddCommands } from '../command.ts';
import { isId, UsageError } from '../usage.ts';

export const addCommands: AddCommands = (group, add) => {
  add(group, 'create <email> <password> [token]', 'Create a user, as the admin', async (call) => {
    const { users } = call.as(call.settings.urls.users);
    const user = { email: call.text('email'), password: call.text('password') };
    await call.output.created([await users.create(user)]);
  });
  add(
    group,
    'token <email> <password>',
    'Get a token; "millrace login" keeps one',
    async (call) => {
      const { users } = call.anonymous();
      await call.output.created([await users.login(call.text('email'), call.text('password'))]);
    },
  );

  const get = add(
    group,
    'get [user_id|token] [token]',
    'Show one user, or list them; without an id, who the token is of',
    async (call) => {
      const { id, token } = whoIsMeant(call);
      await call.output.show(await call.as(call.settings.urls.users, token).users.view(id));
    },
  );
  add(get, 'all [token]', 'List all users', async (call) => {
    const { urls, page, email, metadata } = call.settings;
    await call.output.show(await call.as(urls.users).users.list({ ...page, email, metadata }));
  });
  add(get, 'by-id <user_id> [token]', 'Show one user', async (call) => {
    await call.output.show(await call.as(call.settings.urls.users).users.view(call.id('user_id')));
  });

  add(
    group,
    'update <JSON> [token]',
    'Change one\'s own metadata: \'{"key": "value"}\'',
    async (call) => {
      const given = call.object('JSON', having<Record<string, unknown>>());
      const { metadata } = given;
      const isWrapped = Object.keys(given).length === 1 && typeof metadata === 'object';
      const { users } = call.as(call.settings.urls.users);
      await users.update({ metadata: isWrapped ? { ...metadata } : given });
      await call.output.ok();
    },
  );
  add(
    group,
    'password <old_password> <password> [token]',
    "Change one's own password",
    async (call) => {
      const { users } = call.as(call.settings.urls.users);
      const change = { old_password: call.text('old_password'), password: call.text('password') };
      await users.changePassword(change);
      await call.output.ok();
    },
  );
};

/** An argument that is no id is a token; without an id, the token tells whose it is. */
function whoIsMeant(call: Call): { id: string; token: string | undefined } {
  const first = call.find('user_id|token');
  const second = call.find('token');
  if (first !== undefined && isId(first)) return { id: first, token: second };
  if (second !== undefined) throw new UsageError('user_id is not an id');
  const token = first ?? call.store.find(call.settings.urls.users)?.token;
  const id = token === undefined ? undefined : subjectOf(token);
  if (id === undefined) {
    throw new UsageError('whose? Give a user_id, or log in with: millrace login');
  }
  return { id, token };
}

/** The user that a token is of. An API key does not tell. */
function subjectOf(token: string): string | undefined {
  try {
    const payload: unknown = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    );
    const subject: unknown = Object(payload)['sub'];
    return typeof subject === 'string' && isId(subject) ? subject : undefined;
  } catch {
    return undefined;
  }
}
