import { call, type Group } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { linkTo, type PageProps, address } from '../router.ts';
import { texts } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { PageHead, Tabs } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { useMay } from '../roles.ts';
import { SettingsForm } from './settings-form.tsx';
import { GroupMembers } from './group-members.tsx';
import { Profiles } from './profiles.tsx';

const words = texts.groups;

const tabs = ['profiles', 'members', 'about'] as const;

/** One group: the profiles of its things, who is in it and as what, and how long it keeps messages. */
export default function GroupPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewGroup', { path: { id } }, signal));
  return (
    <Loaded reading={reading}>{(group) => <View group={group} again={reading.again} />}</Loaded>
  );
}

function View({ group, again }: { group: Group; again: () => void }) {
  const { id, org_id: org } = group;
  const may = useMay({ of: 'group', id });
  const tab = tabs.find((one) => one === address.value.query['tab']) ?? 'profiles';
  const trail = {
    text: texts.organization.tabs.groups,
    href: linkTo('/organization', { org, tab: 'groups' }),
  };
  return (
    <>
      <PageHead title={group.name} trail={[trail]}>
        <ButtonLink icon="things" href={linkTo('/things', { group: id })}>
          {texts.things.title}
        </ButtonLink>
        <ButtonLink icon="alarms" href={linkTo('/rules', { group: id })}>
          {texts.rules.title}
        </ButtonLink>
        <ButtonLink icon="webhooks" href={linkTo('/webhooks', { group: id })}>
          {texts.webhooks.title}
        </ButtonLink>
      </PageHead>
      <Tabs
        label={words.views}
        current={tab}
        tabs={tabs.map((one) => ({
          id: one,
          text: words.tabs[one],
          href: linkTo(`/groups/${id}`, { tab: one }),
        }))}
      />
      {tab === 'profiles' && <Profiles group={group} may={may} />}
      {tab === 'members' && <GroupMembers group={group} may={may} />}
      {tab === 'about' && (
        <SettingsForm
          of={group}
          keepsHint={words.keepsHint}
          isFixed={!may('updateGroup')}
          save={async (body) => {
            await call('updateGroup', { path: { id }, body });
            again();
          }}
        />
      )}
    </>
  );
}
