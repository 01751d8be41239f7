import { useState } from 'preact/hooks';
import { call, type PlatformInvite, type User } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { address, choose, linkTo } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { usersTexts } from '../texts/users.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { Field, fieldOf, Search } from '../ui/field.tsx';
import { Badge, Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { say } from '../ui/toasts.tsx';
import { OperationsHead } from './head.tsx';

const words = usersTexts;

/** Who has an account, and who was asked to make one. */
export default function UsersPage() {
  const { email = '' } = address.value.query;
  const offset = pageOffset();
  const users = useRead(`${email} ${offset}`, (signal) => {
    const query = { offset, limit: pageLimit, order: 'email', dir: 'asc' } as const;
    return call('listUsers', { query: { ...query, ...(email === '' ? {} : { email }) } }, signal);
  });
  const invites = useRead('invites', (signal) => {
    const query = { limit: pageLimit, order: 'created_at', dir: 'desc', state: 'pending' } as const;
    return call('listPlatformInvites', { query }, signal);
  });
  return (
    <>
      <OperationsHead current="users">
        <InviteButton again={invites.again} />
        <CreateButton again={users.again} />
      </OperationsHead>
      <div class="stack">
        <Panel flush>
          <header class="filters">
            <Search
              label={words.search}
              value={email}
              onSearch={(text) => choose({ email: text, offset: undefined }, 'replace')}
            />
          </header>
          <PagedTable
            reading={users}
            rowsOf={(page) => page.users}
            keyOf={({ id }) => id}
            columns={columns}
            none={{ title: words.none }}
          />
        </Panel>
        <Invites reading={invites} />
      </div>
    </>
  );
}

const columns: readonly Column<User>[] = [
  {
    head: words.email,
    kind: 'name',
    cell: ({ email, platform_admin: isAdmin }) => (
      <>
        <bdi class="cut" title={email}>
          {email}
        </bdi>
        {isAdmin === true && <Badge tone="accent">{words.admin}</Badge>}
      </>
    ),
  },
  {
    head: words.id,
    isExtra: true,
    cell: ({ id }) => (
      <span class="row">
        <span class="mono small">{id}</span>
        <Copy text={id} />
      </span>
    ),
  },
  {
    head: words.changes,
    cell: ({ email }) => (
      <a href={linkTo('/operations/audit', { actor: email })} aria-label={words.changesOf(email)}>
        {words.changes}
      </a>
    ),
  },
];

/** Those that were not answered yet. */
function Invites({ reading }: { reading: Reading<{ invites: PlatformInvite[] }> }) {
  const invites = reading.value?.invites ?? [];
  if (invites.length === 0) return null;
  return (
    <Panel title={words.invites} flush>
      <Table label={words.invites} columns={inviteColumns} rows={invites} keyOf={({ id }) => id} />
    </Panel>
  );
}

const inviteColumns: readonly Column<PlatformInvite>[] = [
  {
    head: words.email,
    kind: 'name',
    cell: ({ invitee_email: email }) => (
      <bdi class="cut" title={email}>
        {email}
      </bdi>
    ),
  },
  {
    head: organizationTexts.ends,
    cell: ({ expires_at: time }) => <Ago time={time} />,
  },
];

function CreateButton({ again }: { again: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const create = async (form: FormData) => {
    const email = fieldOf(form, 'email');
    await call('createUser', { body: { email, password: fieldOf(form, 'password') } });
    say(words.created(email));
    again();
  };
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        {words.create}
      </Button>
      {isOpen && (
        <FormDialog
          title={words.create}
          action={words.createAction}
          submit={create}
          onClose={() => setOpen(false)}
        >
          <EmailField />
          <Field label={words.password} hint={words.passwordHint}>
            <input
              class="input"
              name="password"
              type="password"
              autoComplete="new-password"
              required
              minLength={8}
              maxLength={1024}
            />
          </Field>
        </FormDialog>
      )}
    </>
  );
}

function InviteButton({ again }: { again: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const invite = async (form: FormData) => {
    const email = fieldOf(form, 'email');
    const body = { invitee_email: email, redirect_path: '/#/register' };
    await call('createPlatformInvite', { body });
    say(words.invited(email));
    again();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.invite}</Button>
      {isOpen && (
        <FormDialog
          title={words.invite}
          action={words.inviteAction}
          submit={invite}
          onClose={() => setOpen(false)}
        >
          <EmailField of="invitee_email" hint={words.inviteHint} />
        </FormDialog>
      )}
    </>
  );
}

function EmailField({ of = 'email', hint }: { of?: string; hint?: string }) {
  return (
    <Field label={words.email} of={of} hint={hint}>
      <input class="input" name="email" type="email" required maxLength={254} />
    </Field>
  );
}
