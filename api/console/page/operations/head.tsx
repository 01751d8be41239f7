import type { ComponentChildren } from 'preact';
import { linkTo } from '../router.ts';
import { operationsTexts } from '../texts/operations.ts';
import { PageHead, Tabs } from '../ui/page.tsx';

const paths = {
  overview: '/operations',
  queues: '/operations/queues',
  users: '/operations/users',
  backups: '/operations/backups',
  audit: '/operations/audit',
} as const;

/** The pages of platform admins, in the order of their tabs. */
const tabs = ['overview', 'queues', 'users', 'backups', 'audit'] as const;

/** The head that the pages of platform admins share. */
export function OperationsHead({
  current,
  children,
}: {
  current: (typeof tabs)[number];
  children?: ComponentChildren;
}) {
  return (
    <>
      <PageHead title={operationsTexts.title}>{children}</PageHead>
      <Tabs
        label={operationsTexts.title}
        current={current}
        tabs={tabs.map((id) => ({ id, text: operationsTexts.tabs[id], href: linkTo(paths[id]) }))}
      />
    </>
  );
}
