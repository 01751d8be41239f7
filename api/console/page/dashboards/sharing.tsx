import { useState } from 'preact/hooks';
import { call, type Dashboard, type DashboardShare, type DashboardShares } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Dialog, FormDialog, Question } from '../ui/dialog.tsx';
import { Choice, Field, fieldOf } from '../ui/field.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

const words = dashboardsTexts;
const lastDays = ['1', '7', '30', '90', '365'];

/** The links by which people without an account see a dashboard. */
export function Sharing({
  dashboard: { id },
  onClose,
}: {
  dashboard: Dashboard;
  onClose: () => void;
}) {
  const reading = useRead(id, (signal) => call('listDashboardShares', { path: { id } }, signal));
  const [open, setOpen] = useState<'new' | DashboardShare>();
  const [token, setToken] = useState<string>();
  if (open === 'new') {
    return (
      <NewShare
        id={id}
        onMade={(made) => {
          setToken(made);
          reading.again();
        }}
        onClose={() => setOpen(undefined)}
      />
    );
  }
  if (open !== undefined) {
    return (
      <Question
        operation="deleteDashboardShare"
        request={() => ({ path: { id: open.id } })}
        title={words.revokeLink(open.name)}
        text={words.revokeText}
        action={words.revoke}
        onDone={() => reading.again()}
        onClose={() => setOpen(undefined)}
      />
    );
  }
  return (
    <ShareList
      reading={reading}
      token={token}
      onNew={() => setOpen('new')}
      onRevoke={setOpen}
      onClose={onClose}
    />
  );
}

function ShareList({
  reading,
  token,
  onNew,
  onRevoke,
  onClose,
}: {
  reading: Reading<DashboardShares>;
  /** Of the link that was just made. */
  token: string | undefined;
  onNew: () => void;
  onRevoke: (share: DashboardShare) => void;
  onClose: () => void;
}) {
  return (
    <Dialog title={words.share} onClose={onClose}>
      <p class="muted">{words.shareText}</p>
      {token !== undefined && (
        <>
          <p>{words.linkOnce}</p>
          <Code text={linkFor(token)} label={words.link} />
        </>
      )}
      <Loaded reading={reading}>
        {({ shares }) =>
          shares.length === 0 ? (
            <Empty title={words.noLinks} />
          ) : (
            <Table
              label={words.share}
              rows={shares}
              keyOf={(share) => share.id}
              columns={columnsFor(onRevoke)}
            />
          )
        }
      </Loaded>
      <div class="actions">
        <Button kind="primary" icon="plus" onClick={onNew}>
          {words.newLink}
        </Button>
      </div>
    </Dialog>
  );
}

const linkFor = (token: string) => `${location.origin}${location.pathname}#/shared/${token}`;

const columnsFor = (revoke: (share: DashboardShare) => void): Column<DashboardShare>[] => [
  {
    head: words.linkFor,
    kind: 'name',
    cell: ({ name, made_by_email: by }) => (
      <>
        <bdi class="cut">{name}</bdi>
        <bdi class="cut small muted">{by}</bdi>
      </>
    ),
  },
  { head: words.ends, cell: ({ expires_at: at }) => <Ago time={at} /> },
  { head: words.used, isExtra: true, cell: ({ last_used_at: at }) => <Ago time={at} /> },
  {
    head: partsTexts.actions,
    cell: (share) => (
      <Button label={words.revokeLink(share.name)} onClick={() => revoke(share)}>
        {words.revoke}
      </Button>
    ),
  },
];

function NewShare({
  id,
  onMade,
  onClose,
}: {
  id: string;
  onMade: (token: string) => void;
  onClose: () => void;
}) {
  const [days, setDays] = useState('30');
  return (
    <FormDialog
      title={words.newLink}
      action={words.create}
      submit={async (form) => {
        const body = {
          name: fieldOf(form, 'name'),
          expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString(),
        };
        onMade((await call('createDashboardShare', { path: { id }, body })).token);
      }}
      onClose={onClose}
    >
      <Field label={words.linkFor}>
        <input class="input" name="name" required maxLength={254} />
      </Field>
      <Field label={words.ends}>
        <Choice
          label={words.ends}
          value={days}
          options={lastDays.map((value) => ({ value, text: words.inDays(Number(value)) }))}
          onChoose={setDays}
        />
      </Field>
    </FormDialog>
  );
}
