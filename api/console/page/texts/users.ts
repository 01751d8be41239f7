import { count } from './words.ts';

export const usersTexts = {
  title: 'Users',
  search: 'Search by e-mail',
  email: 'E-mail',
  admin: 'Platform admin',
  id: 'Id',
  changes: 'Changes',
  changesOf: (email: string) => `Changes that ${email} made`,
  none: 'No user has that e-mail',
  create: 'New user',
  createAction: 'Create',
  password: 'Password',
  passwordHint:
    'At least 8 characters. Tell them in person: it is not sent, and they can change it.',
  created: (email: string) => `${email} can sign in now.`,
  invite: 'Invite by mail',
  inviteAction: 'Send',
  inviteHint: 'They get a link, and choose a password of their own.',
  invited: (email: string) => `${email} gets a mail with a link.`,
  invites: 'Invites to the platform',
  noInvites: 'Nobody was invited to the platform',
  noInvitesText: 'Whoever follows the link in the mail makes an account.',
  pending: (invites: number) => count(invites, 'invite', 'invites'),
};
