import { useState } from 'preact/hooks';
import { call, type Org, type OrgMembership } from '../../client/call.ts';
import { useRead } from '../../client/use-read.ts';
import { choose, place } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog, useAction } from '../../ui/dialog.tsx';
import { Choice, Search } from '../../ui/field.tsx';
import { Badge, Panel } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { givenRoles, isGiven, type GivenRole, type May } from '../roles.ts';
import { RoleTable } from './role-table.tsx';

const words = texts.organization;

type Changes = {
  may: May;
  isBusy: boolean;
  changeRole: (member: OrgMembership, role: GivenRole) => void;
  remove: (member: OrgMembership) => void;
};

/** What shows of a member, and what can be changed. */
const columnsOf = ({ may, isBusy, changeRole, remove }: Changes): Column<OrgMembership>[] => [
  {
    head: words.email,
    kind: 'name',
    cell: ({ email: text }) => <bdi class="cut">{text}</bdi>,
  },
  {
    head: words.role,
    cell: (member) => (
      <Role
        member={member}
        isFixed={!may('changeOrgRoles')}
        onChoose={(role) => changeRole(member, role)}
      />
    ),
  },
  { head: words.since, isExtra: true, cell: ({ created_at: time }) => <Ago time={time} /> },
  ...(may('removeOrgMembers') ? [removal(isBusy, remove)] : []),
];

const removal = (
  isBusy: boolean,
  remove: (member: OrgMembership) => void,
): Column<OrgMembership> => ({
  head: words.change,
  cell: (member) =>
    isGiven(member.role) && (
      <Button
        kind="quiet"
        icon="close"
        label={words.remove(member.email)}
        disabled={isBusy}
        onClick={() => remove(member)}
      />
    ),
});

/** Who is in the org, and as what. Changes are for admins. */
export function Members({ org, may }: { org: Org; may: May }) {
  const { email = '' } = place.value.query;
  const offset = pageOffset();
  const [removed, setRemoved] = useState<OrgMembership>();
  const { failure, isBusy, run } = useAction();
  const reading = useRead(`${org.id} ${email} ${offset}`, (signal) => {
    const query = { email, offset, limit: pageLimit, order: 'email', dir: 'asc' } as const;
    return call('listOrgMembers', { path: { id: org.id }, query }, signal);
  });
  const changeRole = async (member: OrgMembership, role: GivenRole) => {
    const body = { org_memberships: [{ email: member.email, role }] };
    await call('changeOrgRoles', { path: { id: org.id }, body });
    reading.again();
  };
  return (
    <div class="stack">
      <Notice failure={failure} />
      <Panel
        flush
        actions={
          <Search
            label={texts.parts.search}
            value={email}
            onSearch={(text) => choose({ email: text, offset: undefined }, 'replace')}
          />
        }
      >
        <PagedTable
          reading={reading}
          rowsOf={({ org_memberships: rows }) => rows}
          keyOf={({ member_id: id }) => id}
          none={{ title: words.noMembers }}
          columns={columnsOf({
            may,
            isBusy,
            changeRole: (member, role) => void run(() => changeRole(member, role)),
            remove: setRemoved,
          })}
        />
      </Panel>
      <RoleTable />
      {removed !== undefined && (
        <Removing
          org={org}
          member={removed}
          again={reading.again}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </div>
  );
}

function Role({
  member: { email, role },
  isFixed,
  onChoose,
}: {
  member: OrgMembership;
  isFixed: boolean;
  onChoose: (role: GivenRole) => void;
}) {
  // The one who owns the org does so until it is deleted.
  if (!isGiven(role)) return <Badge tone="accent">{words.roles[role]}</Badge>;
  if (isFixed) return <Badge tone="plain">{words.roles[role]}</Badge>;
  return (
    <Choice
      label={words.roleOf(email)}
      value={role}
      options={givenRoles.map((value) => ({ value, text: words.roles[value] }))}
      onChoose={onChoose}
    />
  );
}

function Removing({
  org,
  member,
  again,
  onClose,
}: {
  org: Org;
  member: OrgMembership;
  again: () => void;
  onClose: () => void;
}) {
  const remove = async () => {
    await call('removeOrgMembers', {
      path: { id: org.id },
      body: { member_ids: [member.member_id] },
    });
    again();
  };
  return (
    <FormDialog
      title={words.remove(member.email)}
      action={words.removeAction}
      kind="danger"
      submit={remove}
      onClose={onClose}
    >
      <p class="muted">{words.removeText}</p>
    </FormDialog>
  );
}
