import { randomUUID } from 'node:crypto';
import type { MailMessage } from '../../../schemas/internal/mail.ts';
import type { Statements } from '../../stores/database.ts';

/** The address of a mail's link, and until when it works. */
type InviteLink = {
  publicUrl: string;
  redirectPath: string | undefined;
  inviteId: string;
  expiresAt: Date;
};

export function orgInviteMail(
  to: string,
  invite: { inviterEmail: string; orgName: string; role: string },
  link: InviteLink,
): MailMessage {
  const { inviterEmail, orgName, role } = invite;
  return {
    to,
    subject: oneLine(`${inviterEmail} invites you to ${orgName}`),
    text: textOf(
      `${inviterEmail} invites you to join the organization "${oneLine(orgName)}" as ${role}.`,
      'Look at the invitation, and accept or decline it:',
      link,
    ),
  };
}

export function platformInviteMail(
  to: string,
  inviterEmail: string,
  link: InviteLink,
): MailMessage {
  return {
    to,
    subject: oneLine(`${inviterEmail} invites you to Millrace`),
    text: textOf(
      `${inviterEmail} invites you to Millrace.`,
      'Choose a password, and your account is made:',
      link,
    ),
  };
}

/** Called in the transaction that causes the mail: it is sent if and only if that commits. */
export async function insertMail(db: Statements, message: MailMessage): Promise<void> {
  await db.rows('INSERT INTO mail_outbox (id, message) VALUES ($1, $2)', [
    randomUUID(),
    JSON.stringify(message),
  ]);
}

function textOf(what: string, how: string, link: InviteLink): string {
  const until = `${link.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return [
    what,
    `${how}\n\n  ${urlOf(link)}`,
    `The invitation is open until ${until}. If you did not expect it, you need not do anything.\n`,
  ].join('\n\n');
}

/** Adds the slash that a path may lack: without it, the path would become a part of the host. */
function urlOf({ publicUrl, redirectPath = '', inviteId }: InviteLink): string {
  const slash = redirectPath === '' || redirectPath.startsWith('/') ? '' : '/';
  return `${publicUrl}${slash}${redirectPath}/${inviteId}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
