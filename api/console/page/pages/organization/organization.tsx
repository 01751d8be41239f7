import { linkTo, place } from '../../router.ts';
import { texts } from '../../texts.ts';
import { PageHead, Tabs } from '../../ui/page.tsx';
import { chosenOrg, OfOrg, OrgChoice, useOrgs } from '../org.tsx';
import { About } from './about.tsx';
import { Groups } from './groups.tsx';
import { Invites } from './invites.tsx';
import { Keys } from './keys.tsx';
import { Members } from './members.tsx';

const tabs = [
  { id: 'members', Tab: Members },
  { id: 'invites', Tab: Invites },
  { id: 'groups', Tab: Groups },
  { id: 'about', Tab: About },
  { id: 'keys', Tab: Keys },
] as const;

/** An org: who is in it and as what, its groups, how long it keeps messages; and one's own API keys. */
export default function OrganizationPage() {
  const orgs = useOrgs();
  const { tab: wanted } = place.value.query;
  const current = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const org = chosenOrg(orgs.value);
  return (
    <>
      <PageHead title={org?.name ?? texts.organization.title}>
        <OrgChoice orgs={orgs.value} />
      </PageHead>
      <Tabs
        label={texts.organization.title}
        current={current.id}
        tabs={tabs.map(({ id }) => ({
          id,
          text: texts.organization.tabs[id],
          href: linkTo('/organization', { org: org?.id, tab: id }),
        }))}
      />
      <OfOrg reading={orgs}>
        {(one) => <current.Tab key={`${one.id} ${current.id}`} org={one} again={orgs.again} />}
      </OfOrg>
    </>
  );
}
