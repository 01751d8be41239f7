import { useState } from 'preact/hooks';
import { linkTo, address } from '../router.ts';
import { organizationTexts } from '../texts/organization.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { Button } from '../ui/button.tsx';
import { PageHead, Tabs } from '../ui/page.tsx';
import { chosenOrg, OfOrg, OrgChoice, useOrgs } from './org.tsx';
import { About } from './about.tsx';
import { Audit } from './audit.tsx';
import { Groups } from './groups.tsx';
import { Invites } from './invites.tsx';
import { Keys } from './keys.tsx';
import { NewOrg } from './new-org.tsx';
import { Members } from './org-members.tsx';
import { Sessions } from './sessions.tsx';
import { useMay } from '../roles.ts';
import { UsageTab } from './usage.tsx';

/** The parts of the page, and what one must be allowed to do to be led to them. Who is in no org has their own ones. */
const tabs = [
  { kind: 'ofOrg', id: 'members', Tab: Members, needs: 'listOrgMembers' },
  { kind: 'ofOrg', id: 'invites', Tab: Invites, needs: 'listOrgInvites' },
  { kind: 'ofOrg', id: 'groups', Tab: Groups, needs: 'listOrgGroups' },
  { kind: 'ofOrg', id: 'usage', Tab: UsageTab, needs: 'viewOrgUsage' },
  { kind: 'ofOrg', id: 'audit', Tab: Audit, needs: 'listOrgAudit' },
  { kind: 'ofOrg', id: 'about', Tab: About, needs: 'viewOrg' },
  { kind: 'own', id: 'keys', Tab: Keys, needs: 'listKeys' },
  { kind: 'own', id: 'sessions', Tab: Sessions, needs: 'listSessions' },
] as const;

/** An org: who is in it and as what, what it uses, what was changed; and one's own API keys and sessions. */
export default function OrganizationPage() {
  const orgs = useOrgs();
  const { tab: wanted } = address.value.query;
  const current = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const org = chosenOrg(orgs.value);
  const [isMaking, setMaking] = useState(false);
  const may = useMay(org && { of: 'org', id: org.id });
  return (
    <>
      <PageHead title={org?.name ?? organizationTexts.title}>
        <OrgChoice orgs={orgs.value} />
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
            href: linkTo('/organization', { org: org?.id, tab: id }),
          }))}
      />
      {current.kind === 'own' ? (
        <current.Tab key={current.id} />
      ) : (
        <OfOrg reading={orgs}>
          {(one) => (
            <current.Tab key={`${one.id} ${current.id}`} org={one} may={may} again={orgs.again} />
          )}
        </OfOrg>
      )}
      {isMaking && <NewOrg again={orgs.again} onClose={() => setMaking(false)} />}
    </>
  );
}
