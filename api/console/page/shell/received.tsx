import { call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { linkTo, match, address } from '../router.ts';
import { inviteTexts } from '../texts/invite.ts';

/** Invites that wait for one's answer: on each page but those of the invites themselves. */
export function Received({ user: { id: userId } }: { user: User }) {
  const { path } = address.value;
  const { value } = useRead(`${userId} ${path}`, (signal) =>
    call(
      'listReceivedInvites',
      { path: { id: userId }, query: { state: 'pending', limit: 20 } },
      signal,
    ),
  );
  const invites = value?.invites ?? [];
  if (invites.length === 0 || match('/invites/:id', path) !== undefined) return null;
  return (
    <ul class="problems above" aria-label={inviteTexts.received}>
      {invites.map(({ id, org_name: org, inviter_email: inviter }) => (
        <li key={id} class="notice" data-tone="warn">
          <bdi>{inviter}</bdi> {inviteTexts.invitesYou} <bdi>{org}</bdi>.{' '}
          <a href={linkTo(`/invites/${id}`)}>{inviteTexts.answer}</a>
        </li>
      ))}
    </ul>
  );
}
