import type { Command } from 'commander';
import { having } from '../../schemas/client/shape.ts';
import type { Call } from '../invocation/call.ts';
import { looksLikeJson } from '../input/arguments.ts';
import type { Add, AddCommands } from '../invocation/command.ts';
import { type ListFilters, metadata, namedFilters, sorting, text } from '../input/fields.ts';
import { readPasswords, refusePasswords, warnOfPassword } from '../invocation/passwords.ts';
import { pageFlags } from '../input/flags.ts';
import { listed, of, searched, show, whoIsMeant } from './ordinary.ts';

const passwordFlag = ['--password-stdin', 'read the password from standard input'] as const;

const filters: ListFilters<'listUsers'> = {
  ...sorting,
  order: { ...sorting.order, about: 'what they are sorted by: id or email' },
  email: text('--email <text>', 'a part of their e-mails'),
  metadata: namedFilters.metadata,
};

type Credentials = { email: string; password: string };
type PasswordChange = { old_password: string; password: string };

export const addCommands: AddCommands = (group, add) => {
  addCreateAndToken(group, add);
  addGetAndSearch(group, add);
  addUpdateAndPassword(group, add);
};

function addCreateAndToken(group: Command, add: Add): void {
  add(
    group,
    'create <email|JSON> [token...]',
    'Create a user, as the admin; asks for the password',
    async (call) => {
      refusePasswords(call.texts('token'), 1);
      const body = await credentials(call, 'Password of the new user: ', true);
      await call.output.created([await call.create('createUser', { body })]);
    },
    { examples: ['users create dan@example.com --password-stdin < password.txt'] },
  )
    .usage('<email|JSON> [token]')
    .option(...passwordFlag);
  add(
    group,
    'token <email|JSON> [password...]',
    'Get a token; "millrace login" keeps one',
    async (call) => {
      refusePasswords(call.texts('password'), 0);
      const who = await credentials(call, 'Password: ', false);
      await call.output.created([await call.anonymous().login(who.email, who.password)]);
    },
    { examples: ['users token ann@example.com --password-stdin --raw < password.txt'] },
  )
    .usage('<email|JSON>')
    .option(...passwordFlag);
}

function addGetAndSearch(group: Command, add: Add): void {
  const get = add(
    group,
    'get [user_id|token] [token]',
    'Show one user, or list them; without an id, yourself',
    async (call) => {
      const { id, token } = await whoIsMeant(call);
      await call.output.show(await call.as('users', token).call('viewUser', { path: { id } }));
    },
    { examples: ['users get', 'users get $USER_ID'] },
  );
  add(get, 'all [token]', 'List the users one may see', show('listUsers', listed), {
    fields: filters,
    uses: pageFlags,
    examples: ['users get all --email @example'],
  });
  add(get, 'by-id <user_id> [token]', 'Show one user', show('viewUser', of('user_id')));
  add(
    group,
    'search <JSON> [token]',
    'Search the users that you may see',
    show('searchUsers', searched),
    { fields: filters, uses: pageFlags, examples: ['users search --email @example'] },
  );
}

function addUpdateAndPassword(group: Command, add: Add): void {
  add(
    group,
    'update <JSON> [token]',
    'Change your own metadata',
    async (call) => {
      const given = call.object('JSON', having<Record<string, unknown>>());
      const { metadata: inner } = given;
      const isWrapped = Object.keys(given).length === 1 && typeof inner === 'object';
      const body = { metadata: isWrapped ? { ...inner } : given };
      await call.ask('updateOwnMetadata', { body });
      await call.output.ok();
    },
    {
      fields: { metadata },
      examples: [`users update --metadata '{"phone":"555"}'`, `users update '{"phone":"555"}'`],
    },
  );
  add(
    group,
    'password [JSON|token] [token...]',
    'Change your own password; asks for the old one and the new one',
    async (call) => {
      const typed = [...call.texts('JSON|token'), ...call.texts('token')];
      const isJson = looksLikeJson(typed[0] ?? '');
      const [token] = isJson ? typed.slice(1) : typed;
      refusePasswords(isJson ? typed.slice(1) : typed, 1);
      const client = call.as('users', token);
      await client.call('changeOwnPassword', { body: await newPassword(call, isJson) });
      await call.output.ok();
    },
    { examples: ['users password', 'users password --password-stdin < old-and-new.txt'] },
  )
    .usage('[token]')
    .option('--password-stdin', 'read both from standard input, a line each');
}

async function credentials(call: Call, question: string, isNew: boolean): Promise<Credentials> {
  if (looksLikeJson(call.text('email|JSON'))) {
    const given = call.object('email|JSON', having<Credentials>('email', 'password'));
    warnOfPassword(call);
    return given;
  }
  const known = call.context.password;
  const [password = ''] = await readPasswords(call, [{ question, known, isNew }]);
  return { email: call.text('email|JSON'), password };
}

async function newPassword(call: Call, isJson: boolean): Promise<PasswordChange> {
  if (isJson) {
    const shape = having<PasswordChange>('old_password', 'password');
    const { old_password, password } = call.object('JSON|token', shape);
    warnOfPassword(call);
    return { old_password, password };
  }
  const { context } = call;
  const [old = '', password = ''] = await readPasswords(call, [
    { question: 'Old password: ', known: context.password, isNew: false },
    { question: 'New password: ', known: context.newPassword, isNew: true },
  ]);
  return { old_password: old, password };
}
