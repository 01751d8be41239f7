import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OrgMembership } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { choose, place } from '../router.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog, useAction } from '../ui/dialog.tsx';
import { Choice, Search } from '../ui/field.tsx';
import { Badge, Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { givenRoles, type GivenRole, isGiven } from './roles.ts';

const words = texts.organization;

export type Member = Pick<OrgMembership, 'member_id' | 'email' | 'role' | 'created_at'>;

type MembersQuery = {
  email: string;
  offset: number;
  limit: number;
  order: 'email';
  dir: 'asc';
};

/** How the members of a place are read and changed. What one may not do is absent. */
export type MemberCalls = {
  list: (query: MembersQuery, signal: AbortSignal) => Promise<{ total: number; members: Member[] }>;
  changeRole?: (member: Member, role: GivenRole) => Promise<unknown>;
  remove?: (member: Member) => Promise<unknown>;
};

/** Who is in an org or a group, and as what. Another `id` is read anew. */
export function MemberTable({
  id,
  calls: { list, changeRole, remove },
  removeText,
  actions,
}: {
  id: string;
  calls: MemberCalls;
  removeText: string;
  actions?: ComponentChildren;
}) {
  const { email = '' } = place.value.query;
  const offset = pageOffset();
  const [removed, setRemoved] = useState<Member>();
  const { failure, isBusy, run } = useAction();
  const reading = useRead(`${id} ${email} ${offset}`, (signal) =>
    list({ email, offset, limit: pageLimit, order: 'email', dir: 'asc' }, signal),
  );
  const choosesRole =
    changeRole &&
    ((member: Member, role: GivenRole) =>
      void run(async () => {
        await changeRole(member, role);
        reading.again();
      }));
  return (
    <>
      <Notice failure={failure} />
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
            ...columnsOf(choosesRole),
            ...(remove === undefined ? [] : [removal(isBusy, setRemoved)]),
          ]}
        />
      </Panel>
      {removed !== undefined && remove !== undefined && (
        <FormDialog
          title={words.remove(removed.email)}
          action={words.removeAction}
          kind="danger"
          submit={async () => {
            await remove(removed);
            reading.again();
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p class="muted">{removeText}</p>
        </FormDialog>
      )}
    </>
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

const removal = (isBusy: boolean, remove: (member: Member) => void): Column<Member> => ({
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
