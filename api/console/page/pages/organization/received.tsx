import { call } from '../../client/call.ts';
import { session, userIn } from '../../client/session.ts';
import { useRead } from '../../client/use-read.ts';
import { linkTo } from '../../router.ts';
import { texts } from '../../texts.ts';

/** Invites that wait for one's answer. */
export function Received() {
  const user = userIn(session.value);
  const { value } = useRead(user?.id, (signal) =>
    call(
      'listReceivedInvites',
      { path: { id: user?.id ?? '' }, query: { state: 'pending', limit: 20 } },
      signal,
    ),
  );
  const invites = value?.invites ?? [];
  if (invites.length === 0) return null;
  return (
    <ul class="problems above" aria-label={texts.invite.received}>
      {invites.map(({ id, org_name: org, inviter_email: inviter }) => (
        <li key={id} class="notice" data-tone="warn">
          <bdi>{inviter}</bdi> {texts.invite.invitesYou} <bdi>{org}</bdi>.{' '}
          <a href={linkTo(`/invites/${id}`)}>{texts.invite.answer}</a>
        </li>
      ))}
    </ul>
  );
}
