import type { NewPlatformInvite } from '../../schemas/client/generated/types.ts';
import { having } from '../../schemas/client/shape.ts';
import type { AddCommands } from '../invocation/command.ts';
import { type Fields, json, role, text } from '../input/fields.ts';
import { readPasswords, refusePasswords } from '../invocation/passwords.ts';
import { pageFlags } from '../input/flags.ts';
import { make, of, show } from './ordinary.ts';

const newInvite: Fields<NewPlatformInvite> = {
  invitee_email: text('--email <email>', 'whom'),
  org_id: text('--org <id>', 'an org to be invited to along'),
  role,
  redirect_path: text('--redirect-path <path>', "of the mail's link, between the host and the id"),
  group_invites: json('--groups <json>', `groups to join along: [{"group_id":…,"member_role":…}]`),
};

/** Invites of people who have no account. */
export const addCommands: AddCommands = (group, add) => {
  add(
    group,
    'create <JSON> [token]',
    'Invite someone to the platform, by mail, as the admin',
    make('createPlatformInvite', (call) => ({
      body: call.object('JSON', having<NewPlatformInvite>('invitee_email')),
    })),
    {
      fields: newInvite,
      examples: [
        'platform_invites create --email bob@example.com',
        `platform_invites create '{"invitee_email":"cy@example.com","org_id":"'$ORG'","role":"viewer"}'`,
      ],
    },
  );
  add(
    group,
    'get [token]',
    'List the invites to the platform',
    show('listPlatformInvites', ({ settings: { page, email } }) => ({
      query: { ...page, ...(email === undefined ? {} : { email }) },
    })),
    { uses: [...pageFlags, 'email'] },
  );
  add(
    group,
    'register <invite_id> <email> [password...]',
    'Make the account that an invite is for; asks for its password',
    async (call) => {
      refusePasswords(call.texts('password'), 0);
      const { password: known } = call.context;
      const [password = ''] = await readPasswords(call, [
        { question: 'New password: ', known, isNew: true },
      ]);
      const body = { email: call.text('email'), password };
      await call.anonymous().call('registerByInvite', { ...of('invite_id')(call), body });
      await call.output.ok();
    },
    {
      examples: [
        'platform_invites register $INVITE bob@example.com --password-stdin < password.txt',
      ],
    },
  )
    .usage('<invite_id> <email>')
    .option('--password-stdin', 'read it from standard input');
};
