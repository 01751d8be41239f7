import { session, userIn } from '../client/session.ts';
import { address, linkTo } from '../router.ts';
import { youTexts } from '../texts/you.ts';
import { PageHead, Tabs } from '../ui/page.tsx';
import { Account } from './account.tsx';
import { Keys } from './keys.tsx';
import { SentInvites } from './sent-invites.tsx';
import { Sessions } from './sessions.tsx';

const tabs = [
  { id: 'account', Tab: Account },
  { id: 'keys', Tab: Keys },
  { id: 'sessions', Tab: Sessions },
  { id: 'invites', Tab: SentInvites },
] as const;

/** Of who is signed in, whatever the org: name, password, theme, API keys, sessions and invites. */
export default function You() {
  const user = userIn(session.value);
  const { tab: wanted } = address.value.query;
  const current = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  if (user === undefined) return null;
  return (
    <>
      <PageHead title={youTexts.title} />
      <Tabs
        label={youTexts.title}
        current={current.id}
        tabs={tabs.map(({ id }) => ({
          id,
          text: youTexts.tabs[id],
          href: linkTo('/you', { tab: id }),
        }))}
      />
      <current.Tab key={current.id} user={user} />
    </>
  );
}
