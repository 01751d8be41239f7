import { call, type Org } from '../client/call.ts';
import { organizationTexts } from '../texts/organization.ts';
import { MemberTable } from './members.tsx';
import type { May } from '../roles.ts';
import { RoleTable } from './role-table.tsx';

/** Who is in the org, and as what. Changes are for admins. */
export function Members({ org, may }: { org: Org; may: May }) {
  const path = { id: org.id };
  return (
    <div class="stack">
      <MemberTable
        id={org.id}
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
    </div>
  );
}
