import { call, type Group } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { linkTo, type PageProps, address } from '../router.ts';
import { groupsTexts } from '../texts/groups.ts';
import { organizationTexts } from '../texts/organization.ts';
import { thingsTexts } from '../texts/things.ts';
import { rulesTexts } from '../texts/rules.ts';
import { webhooksTexts } from '../texts/webhooks.ts';
import { ButtonLink } from '../ui/button.tsx';
import { PageHead, Tabs } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { useMay } from '../roles.ts';
import { Commands } from '../things/commands.tsx';
import { Deleting } from './deleting.tsx';
import { SettingsForm } from './settings-form.tsx';
import { GroupMembers } from './group-members.tsx';
import { Profiles } from './profiles.tsx';

const words = groupsTexts;

const tabs = ['profiles', 'members', 'commands', 'about'] as const;

/** One group: the profiles of its things, who is in it and as what, and how long it keeps messages. */
export default function GroupPage({ parameters: { id = '' } }: PageProps) {
  const reading = useRead(id, (signal) => call('viewGroup', { path: { id } }, signal));
  return (
    <Loaded reading={reading} isPage>
      {(group) => <View group={group} again={reading.again} />}
    </Loaded>
  );
}

function View({ group, again }: { group: Group; again: () => void }) {
  const { id, org_id: org } = group;
  const may = useMay({ of: 'group', id });
  // Commands are for editors.
  const shown = tabs.filter((one) => one !== 'commands' || may('listGroupCommands'));
  const tab = shown.find((one) => one === address.value.query['tab']) ?? 'profiles';
  const trail = {
    text: organizationTexts.tabs.groups,
    href: linkTo('/organization', { org, tab: 'groups' }),
  };
  return (
    <>
      <PageHead title={group.name} trail={[trail]}>
        <ButtonLink icon="things" href={linkTo('/things', { group: id })}>
          {thingsTexts.title}
        </ButtonLink>
        <ButtonLink icon="alarms" href={linkTo('/rules', { group: id })}>
          {rulesTexts.title}
        </ButtonLink>
        <ButtonLink icon="webhooks" href={linkTo('/webhooks', { group: id })}>
          {webhooksTexts.title}
        </ButtonLink>
      </PageHead>
      <Tabs
        label={words.views}
        current={tab}
        tabs={shown.map((one) => ({
          id: one,
          text: words.tabs[one],
          href: linkTo(`/groups/${id}`, { tab: one }),
        }))}
      />
      {tab === 'profiles' && <Profiles group={group} may={may} />}
      {tab === 'members' && <GroupMembers group={group} may={may} />}
      {tab === 'commands' && <Commands to={{ kind: 'group', id, name: group.name }} />}
      {tab === 'about' && (
        <div class="stack">
          <SettingsForm
            of={group}
            keepsHint={words.keepsHint}
            isFixed={!may('updateGroup')}
            save={async (body) => {
              await call('updateGroup', { path: { id }, body });
              again();
            }}
          />
          {may('deleteGroup') && <Deleting of={{ kind: 'group', ...group }} />}
        </div>
      )}
    </>
  );
}
