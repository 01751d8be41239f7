import type { NewPlatformInvite } from '../../../schemas/client/generated/types.ts';
import { having } from '../../../schemas/client/shape.ts';
import type { AddCommands } from '../../invocation/command.ts';
import { type Fields, json, role, text } from '../../input/fields.ts';
import { readPasswords, refusePasswords } from '../../invocation/passwords.ts';
import { pageFlags } from '../../input/flags.ts';

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
    async (call) => {
      const { invites } = call.as(call.settings.urls.auth);
      const invite = call.object('JSON', having<NewPlatformInvite>('invitee_email'));
      await call.output.created([await invites.inviteToPlatform(invite)]);
    },
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
    async (call) => {
      const { urls, page, email } = call.settings;
      const query = { ...page, ...(email === undefined ? {} : { email }) };
      await call.output.show(await call.as(urls.auth).invites.listOfPlatform(query));
    },
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
      const who = { email: call.text('email'), password };
      await call.anonymous().invites.register(call.id('invite_id'), who);
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
