import { useState } from 'preact/hooks';
import { linkTo, address } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { Button } from '../ui/button.tsx';
import { PageHead, Tabs } from '../ui/page.tsx';
import { OfOrg, useOrgs } from './org.tsx';
import { About } from './about.tsx';
import { Audit } from './audit.tsx';
import { Groups } from './groups.tsx';
import { Invites } from './invites.tsx';
import { NewOrg } from './new-org.tsx';
import { Members } from './org-members.tsx';
import { useMay } from '../roles.ts';
import { UsageTab } from './usage.tsx';

/** The parts of the page, and what one must be allowed to do to be led to them. */
const tabs = [
  { id: 'members', Tab: Members, needs: 'listOrgMembers' },
  { id: 'invites', Tab: Invites, needs: 'listOrgInvites' },
  { id: 'groups', Tab: Groups, needs: 'listOrgGroups' },
  { id: 'usage', Tab: UsageTab, needs: 'viewOrgUsage' },
  { id: 'audit', Tab: Audit, needs: 'listOrgAudit' },
  { id: 'about', Tab: About, needs: 'viewOrg' },
] as const;

/** An org: who is in it and as what, what it uses, and what was changed. */
export default function OrganizationPage() {
  const orgs = useOrgs();
  const { tab: wanted, org: inOrg, group } = address.value.query;
  const current = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const org = orgs.value?.org;
  const [isMaking, setMaking] = useState(false);
  const may = useMay(org && { of: 'org', id: org.id });
  return (
    <>
      <PageHead title={org?.name ?? organizationTexts.title}>
        <Button icon="plus" onClick={() => setMaking(true)}>
          {orgsTexts.make}
        </Button>
      </PageHead>
      <Tabs
        label={organizationTexts.title}
        current={current.id}
        tabs={tabs
          .filter(({ needs }) => may(needs))
          .map(({ id }) => ({
            id,
            text: organizationTexts.tabs[id],
            href: linkTo('/organization', { org: inOrg, group, tab: id }),
          }))}
      />
      <OfOrg reading={orgs}>
        {(one) => (
          <current.Tab key={`${one.id} ${current.id}`} org={one} may={may} again={orgs.again} />
        )}
      </OfOrg>
      {isMaking && <NewOrg again={orgs.again} onClose={() => setMaking(false)} />}
    </>
  );
}
