import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AskedCall } from '../client/asked.ts';
import type { OrgMembership } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { choose, address } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { Button } from '../ui/button.tsx';
import { Question } from '../ui/dialog.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { Badge, Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { givenRoles, type GivenRole, isGiven } from '../roles.ts';

const words = organizationTexts;

type Member = Pick<OrgMembership, 'member_id' | 'email' | 'role' | 'created_at'>;

type MembersQuery = {
  email: string;
  offset: number;
  limit: number;
  order: 'email';
  dir: 'asc';
};

/** How the members of a place are read and changed. What one may not do is absent. */
type MemberCalls = {
  list: (query: MembersQuery, signal: AbortSignal) => Promise<{ total: number; members: Member[] }>;
  changeRole?: (member: Member, role: GivenRole) => AskedCall;
  remove?: (member: Member) => AskedCall;
};

/** Who is in an org or a group, and as what. Another `id` is read anew. */
export function MemberTable({
  id,
  calls: { list, changeRole, remove },
  removeText,
  mays,
  actions,
}: {
  id: string;
  calls: MemberCalls;
  removeText: string;
  /** Says for each role what it may do in this place. */
  mays: Readonly<Record<GivenRole, string>>;
  actions?: ComponentChildren;
}) {
  const { email = '' } = address.value.query;
  const offset = pageOffset();
  const [asking, setAsking] = useState<Asking>();
  const reading = useRead(`${id} ${email} ${offset}`, (signal) =>
    list({ email, offset, limit: pageLimit, order: 'email', dir: 'asc' }, signal),
  );
  return (
    <>
      <Panel flush>
        <header class="filters">
          <Search
            label={words.findMember}
            value={email}
            onSearch={(text) => choose({ email: text, offset: undefined }, 'replace')}
          />
          {actions}
        </header>
        <PagedTable
          reading={reading}
          rowsOf={({ members }) => members}
          keyOf={({ member_id: member }) => member}
          none={{ title: words.noMembers }}
          columns={[
            ...columnsOf(changeRole && ((member, role) => setAsking({ member, role }))),
            ...(remove === undefined ? [] : [removal((member) => setAsking({ member }))]),
          ]}
        />
      </Panel>
      {asking !== undefined && (
        <MemberQuestion
          asking={asking}
          calls={{ changeRole, remove }}
          text={asking.role === undefined ? removeText : mays[asking.role]}
          onDone={reading.again}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

/** The change to a member that is asked about: a role is given, or they are removed. */
type Asking = { member: Member; role?: GivenRole };

function MemberQuestion({
  asking: { member, role },
  calls: { changeRole, remove },
  ...dialog
}: {
  asking: Asking;
  calls: {
    changeRole: MemberCalls['changeRole'] | undefined;
    remove: MemberCalls['remove'] | undefined;
  };
  text: string;
  onDone: () => void;
  onClose: () => void;
}) {
  const asked = role === undefined ? remove?.(member) : changeRole?.(member, role);
  if (asked === undefined) return null;
  return role === undefined ? (
    <Question
      {...asked}
      {...dialog}
      title={words.remove(member.email)}
      action={words.removeAction}
    />
  ) : (
    <Question
      {...asked}
      {...dialog}
      title={words.changeRole(member.email, words.roles[role])}
      action={words.changeRoleAction}
      kind="primary"
    />
  );
}

const columnsOf = (
  onChoose: ((member: Member, role: GivenRole) => void) | undefined,
): Column<Member>[] => [
  {
    head: words.email,
    kind: 'name',
    cell: ({ email: text }) => <bdi class="cut">{text}</bdi>,
  },
  { head: words.role, cell: (member) => <RoleOf member={member} onChoose={onChoose} /> },
  { head: words.since, isExtra: true, cell: ({ created_at: time }) => <Ago time={time} /> },
];

const removal = (remove: (member: Member) => void): Column<Member> => ({
  head: words.change,
  cell: (member) =>
    isGiven(member.role) && (
      <Button
        kind="quiet"
        icon="close"
        label={words.remove(member.email)}
        onClick={() => remove(member)}
      />
    ),
});

function RoleOf({
  member,
  onChoose,
}: {
  member: Member;
  onChoose: ((member: Member, role: GivenRole) => void) | undefined;
}) {
  const { email, role } = member;
  // The one who owns the org does so until it is deleted.
  if (!isGiven(role)) return <Badge tone="accent">{words.roles[role]}</Badge>;
  if (onChoose === undefined) return <Badge tone="plain">{words.roles[role]}</Badge>;
  return (
    <Choice
      label={words.roleOf(email)}
      value={role}
      options={givenRoles.map((value) => ({ value, text: words.roles[value] }))}
      onChoose={(chosen) => onChoose(member, chosen)}
    />
  );
}
