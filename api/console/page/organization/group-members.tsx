import { useState } from 'preact/hooks';
import { call, type Group } from '../client/call.ts';
import { FieldError } from '../client/failure.ts';
import { groupsTexts } from '../texts/groups.ts';
import { organizationTexts } from '../texts/organization.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf } from '../ui/field.tsx';
import { MemberTable } from './members.tsx';
import { RoleTable } from './role-table.tsx';
import { RoleField } from './role-field.tsx';
import { isGiven, type May } from '../roles.ts';

const words = groupsTexts;

/** Who is in the group, and as what. Changes are for its admins. */
export function GroupMembers({ group, may }: { group: Group; may: May }) {
  const path = { id: group.id };
  const [added, setAdded] = useState(0);
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="stack">
      <MemberTable
        id={`${group.id} ${added}`}
        removeText={words.removeText}
        mays={organizationTexts.mays.group}
        actions={
          may('addGroupMembers') && (
            <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
              {words.add}
            </Button>
          )
        }
        calls={{
          list: async (query, signal) => {
            const answer = await call('listGroupMembers', { path, query }, signal);
            return { total: answer.total, members: answer.group_memberships };
          },
          ...(may('changeGroupRoles') && {
            changeRole: ({ member_id: id }, role) => ({
              operation: 'changeGroupRoles',
              request: () => ({ path, body: [{ member_id: id, role }] }),
            }),
          }),
          ...(may('removeGroupMembers') && {
            remove: ({ member_id: id }) => ({
              operation: 'removeGroupMembers',
              request: () => ({ path, body: { member_ids: [id] } }),
            }),
          }),
        }}
      />
      <RoleTable place="group" />
      {isAdding && (
        <Adding group={group} again={() => setAdded(added + 1)} onClose={() => setAdding(false)} />
      )}
    </div>
  );
}

function Adding(props: { group: Group; again: () => void; onClose: () => void }) {
  const { group, again, onClose } = props;
  const add = async (form: FormData) => {
    const email = fieldOf(form, 'email').trim().toLowerCase();
    const { Users: users } = await call('listUsers', { query: { email, limit: 200 } });
    const user = users.find((one) => one.email.toLowerCase() === email);
    if (user === undefined) throw new FieldError('email', words.unknown);
    const role = fieldOf(form, 'role');
    const body = [{ member_id: user.id, role: isGiven(role) ? role : ('viewer' as const) }];
    await call('addGroupMembers', { path: { id: group.id }, body });
    again();
  };
  return (
    <FormDialog title={words.add} action={words.add} submit={add} onClose={onClose}>
      <Field label={organizationTexts.email} hint={words.addHint}>
        <input class="input" name="email" type="email" required maxLength={254} autofocus />
      </Field>
      <RoleField />
    </FormDialog>
  );
}
