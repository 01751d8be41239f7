import { useState } from 'preact/hooks';
import { call, type Org, type OrgInvite } from '../client/call.ts';
import { ApiError } from '../../../../schemas/client/errors.ts';
import { useRead } from '../client/use-read.ts';
import { organizationTexts } from '../texts/organization.ts';
import { RoleField } from './role-field.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog, Question } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { Badge, Panel, type Tone } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { isGiven, type May } from '../roles.ts';

const words = organizationTexts;

const tones: Readonly<Record<keyof typeof words.inviteStates, Tone>> = {
  pending: 'accent',
  accepted: 'good',
  declined: 'warn',
  revoked: 'plain',
  expired: 'plain',
};

/** An invite as the lists of an org and of its inviter both tell it. */
type Revocable = Omit<OrgInvite, 'inviter_id'>;

/** The columns of an invite, and the way to take back one that was not answered. */
export const columnsOf = <Sent extends Revocable>(
  revoke: (invite: Sent) => void,
): Column<Sent>[] => [
  {
    head: words.email,
    kind: 'name',
    cell: ({ invitee_email: text }) => <bdi class="cut">{text}</bdi>,
  },
  { head: words.role, isExtra: true, cell: ({ invitee_role: role }) => words.roles[role] },
  {
    head: words.state,
    cell: ({ state }) => <Badge tone={tones[state]}>{words.inviteStates[state]}</Badge>,
  },
  {
    head: words.ends,
    isExtra: true,
    // One that was answered or revoked has ended already.
    cell: ({ state, expires_at: time }) =>
      state === 'pending' || state === 'expired' ? <Ago time={time} /> : '–',
  },
  {
    head: words.change,
    cell: (invite) =>
      invite.state === 'pending' && (
        <Button
          kind="quiet"
          icon="close"
          label={words.revoke(invite.invitee_email)}
          onClick={() => revoke(invite)}
        />
      ),
  },
];

/** Who was asked into the org. */
export function Invites({ org, may }: { org: Org; may: May }) {
  const offset = pageOffset();
  const [isInviting, setInviting] = useState(false);
  const [revoked, setRevoked] = useState<OrgInvite>();
  const reading = useRead(`${org.id} ${offset}`, (signal) => {
    const query = { offset, limit: pageLimit, order: 'created_at', dir: 'desc' } as const;
    return call('listOrgInvites', { path: { id: org.id }, query }, signal);
  });
  return (
    <div class="stack">
      <Panel
        title={words.tabs.invites}
        flush
        actions={
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        }
      >
        <PagedTable
          reading={reading}
          rowsOf={({ invites }) => invites}
          keyOf={({ id }) => id}
          none={{ title: words.noInvites, text: words.noInvitesText }}
          columns={columnsOf<OrgInvite>(setRevoked)}
        />
      </Panel>
      <Revoking invite={revoked} again={reading.again} onClose={() => setRevoked(undefined)} />
      {isInviting && (
        <Inviting
          org={org}
          mayInviteAnybody={may('createPlatformInvite')}
          again={reading.again}
          onClose={() => setInviting(false)}
        />
      )}
    </div>
  );
}

/** Asks before an invite is taken back. */
export function Revoking({
  invite,
  again,
  onClose,
}: {
  invite: Pick<OrgInvite, 'id' | 'invitee_email'> | undefined;
  again: () => void;
  onClose: () => void;
}) {
  if (invite === undefined) return null;
  return (
    <Question
      operation="revokeInvite"
      request={() => ({ path: { id: invite.id } })}
      title={words.revoke(invite.invitee_email)}
      text={words.revokeText}
      action={words.revokeAction}
      onDone={again}
      onClose={onClose}
    />
  );
}

function Inviting({
  org,
  mayInviteAnybody,
  again,
  onClose,
}: {
  org: Org;
  mayInviteAnybody: boolean;
  again: () => void;
  onClose: () => void;
}) {
  const invite = async (form: FormData) => {
    const chosen = fieldOf(form, 'role');
    const email = fieldOf(form, 'email');
    const role = isGiven(chosen) ? chosen : 'viewer';
    const body = { email, role, redirect_path: '/#/invites' };
    await call('createOrgInvite', { path: { id: org.id }, body }).catch((error: unknown) => {
      const isUnknown = error instanceof ApiError && error.status === 404;
      if (!isUnknown || !mayInviteAnybody) throw error;
      const ofMail = { invitee_email: email, redirect_path: '/#/register' };
      return call('createPlatformInvite', { body: { ...ofMail, org_id: org.id, role } });
    });
    say(words.invited(email));
    again();
  };
  return (
    <FormDialog
      title={words.inviting(org.name)}
      action={words.invite}
      submit={invite}
      onClose={onClose}
    >
      <Field label={words.email} hint={mayInviteAnybody ? words.inviteAnyHint : words.inviteHint}>
        <input class="input" name="email" type="email" required maxLength={254} />
      </Field>
      <RoleField hint={words.roleHint} />
    </FormDialog>
  );
}
