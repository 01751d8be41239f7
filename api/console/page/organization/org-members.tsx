import { useState } from 'preact/hooks';
import { call, type Org } from '../client/call.ts';
import { organizationTexts } from '../texts/organization.ts';
import { RoleField } from './role-field.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { MemberTable } from './members.tsx';
import { isGiven, type May } from '../roles.ts';
import { RoleTable } from './role-table.tsx';

/** Who is in the org, and as what. Changes are for admins. */
export function Members({ org, may }: { org: Org; may: May }) {
  const path = { id: org.id };
  const [added, setAdded] = useState(0);
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="stack">
      <MemberTable
        id={`${org.id} ${added}`}
        actions={
          may('addOrgMembers') && (
            <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
              {organizationTexts.addMember}
            </Button>
          )
        }
        removeText={organizationTexts.removeText}
        mays={organizationTexts.mays.org}
        calls={{
          list: async (query, signal) => {
            const answer = await call('listOrgMembers', { path, query }, signal);
            return { total: answer.total, members: answer.org_memberships };
          },
          ...(may('changeOrgRoles') && {
            changeRole: ({ email }, role) => ({
              operation: 'changeOrgRoles',
              request: () => ({ path, body: { org_memberships: [{ email, role }] } }),
            }),
          }),
          ...(may('removeOrgMembers') && {
            remove: ({ member_id: id }) => ({
              operation: 'removeOrgMembers',
              request: () => ({ path, body: { member_ids: [id] } }),
            }),
          }),
        }}
      />
      <RoleTable place="org" />
      <RoleTable place="group" />
      {isAdding && (
        <Adding org={org} again={() => setAdded(added + 1)} onClose={() => setAdding(false)} />
      )}
    </div>
  );
}

/** Takes somebody in who has an account. */
function Adding({ org, again, onClose }: { org: Org; again: () => void; onClose: () => void }) {
  const words = organizationTexts;
  const add = async (form: FormData) => {
    const chosen = fieldOf(form, 'role');
    const email = fieldOf(form, 'email').trim();
    const role = isGiven(chosen) ? chosen : ('viewer' as const);
    const body = { org_memberships: [{ email, role }] };
    await call('addOrgMembers', { path: { id: org.id }, body });
    again();
  };
  return (
    <FormDialog title={words.addMember} action={words.addMember} submit={add} onClose={onClose}>
      <p class="muted">{words.addMemberText}</p>
      <Field label={words.email} hint={words.addMemberHint}>
        <input class="input" name="email" type="email" required maxLength={254} autofocus />
      </Field>
      <RoleField />
    </FormDialog>
  );
}
