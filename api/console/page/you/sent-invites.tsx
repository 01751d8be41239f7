import { useState } from 'preact/hooks';
import { type Answers, call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { columnsOf, Revoking } from '../organization/invites.tsx';
import { organizationTexts } from '../texts/organization.ts';
import { youTexts } from '../texts/you.ts';
import { Panel } from '../ui/page.tsx';
import { type Column, pageLimit, pageOffset, PagedTable } from '../ui/table.tsx';

const words = youTexts;

type Sent = Answers['listSentInvites']['invites'][number];

const org: Column<Sent> = {
  head: words.org,
  isExtra: true,
  cell: ({ org_name: name }) => (
    <bdi class="cut" title={name}>
      {name}
    </bdi>
  ),
};

/** The invites that one sent, whatever the org. */
export function SentInvites({ user }: { user: User }) {
  const offset = pageOffset();
  const [revoked, setRevoked] = useState<Sent>();
  const reading = useRead(`${user.id} ${offset}`, (signal) => {
    const query = { offset, limit: pageLimit, order: 'created_at', dir: 'desc' } as const;
    return call('listSentInvites', { path: { id: user.id }, query }, signal);
  });
  return (
    <Panel title={words.tabs.invites} flush>
      <PagedTable
        reading={reading}
        rowsOf={({ invites }) => invites}
        keyOf={({ id }) => id}
        none={{ title: words.noInvites, text: organizationTexts.noInvitesText }}
        columns={columnsOf<Sent>(setRevoked).toSpliced(1, 0, org)}
      />
      <Revoking invite={revoked} again={reading.again} onClose={() => setRevoked(undefined)} />
    </Panel>
  );
}
