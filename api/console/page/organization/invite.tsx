import { useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import { session, userIn } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { goTo, type PageProps } from '../router.ts';
import { inviteTexts } from '../texts/invite.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { useAction } from '../ui/form.tsx';
import { PageHead, Panel } from '../ui/page.tsx';
import { Loaded, Notice } from '../ui/states.tsx';
import { At } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';

const words = inviteTexts;

/** An invite to an org, as its mail leads to it: who invites whom to what, and the answer. */
export default function InvitePage({ parameters: { id = '' } }: PageProps) {
  const path = { id };
  const user = userIn(session.value);
  const reading = useRead(id, (signal) => call('viewInvite', { path }, signal));
  const { failure, isBusy, run } = useAction();
  const accept = (org: string | undefined) =>
    run(async () => {
      await call('acceptInvite', { path });
      say(words.accepted);
      goTo('/organization', { org });
    });
  const [isDeclining, setDeclining] = useState(false);
  return (
    <>
      <PageHead title={words.title} />
      <Loaded reading={reading}>
        {({ invitee_id: invitee, state, org_id: org, ...invite }) => (
          <Panel>
            <div class="stack">
              <p>
                <bdi>{invite.inviter_email}</bdi> {words.invites} <bdi>{invite.invitee_email}</bdi>{' '}
                {words.to}{' '}
                <b>
                  <bdi>{invite.org_name}</bdi>
                </b>
                {invite.invitee_role !== undefined && words.as(invite.invitee_role)}.
              </p>
              <p class="muted">
                {state === 'pending' ? (
                  <>
                    {words.until} <At time={invite.expires_at} />.
                  </>
                ) : (
                  words.states[state]
                )}
              </p>
              <Notice failure={failure} />
              {state === 'pending' && invitee === user?.id && (
                <div class="row">
                  <Button kind="primary" disabled={isBusy} onClick={() => void accept(org)}>
                    {words.accept}
                  </Button>
                  <Button disabled={isBusy} onClick={() => setDeclining(true)}>
                    {words.decline}
                  </Button>
                </div>
              )}
            </div>
          </Panel>
        )}
      </Loaded>
      {isDeclining && (
        <Declining id={id} onDone={reading.again} onClose={() => setDeclining(false)} />
      )}
    </>
  );
}

function Declining(props: { id: string; onDone: () => void; onClose: () => void }) {
  const { id, onDone, onClose } = props;
  return (
    <Question
      operation="declineInvite"
      request={() => ({ path: { id } })}
      title={words.declining}
      text={words.decliningText}
      action={words.decline}
      onDone={() => {
        say(words.declined);
        onDone();
      }}
      onClose={onClose}
    />
  );
}
