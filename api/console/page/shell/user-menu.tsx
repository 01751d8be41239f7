import { signOut, type User } from '../client/session.ts';
import { nextTheme, theme } from '../theme.ts';
import { shellTexts } from '../texts/shell.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';

/** Who is signed in, with what is theirs, and help. */
export function UserMenu({ user, showKeys }: { user: User; showKeys: () => void }) {
  return (
    <Menu
      className="who"
      entries={[
        { kind: 'link', text: shellTexts.you, icon: 'organization', href: '#/you' },
        {
          kind: 'action',
          text: shellTexts.theme[theme.value],
          icon: theme.value,
          onChoose: nextTheme,
        },
        { kind: 'link', text: shellTexts.docs, icon: 'docs', href: 'docs', rule: true },
        { kind: 'link', text: shellTexts.bench, icon: 'bench', href: 'bench' },
        { kind: 'action', text: shellTexts.shortcuts, icon: 'info', onChoose: showKeys },
        {
          kind: 'action',
          text: shellTexts.signOut,
          icon: 'leave',
          onChoose: () => void signOut(),
          rule: true,
        },
      ]}
    >
      <span class="initial" aria-hidden="true">
        {user.email.charAt(0).toUpperCase()}
      </span>
      <bdi class="cut" title={user.email}>
        {user.email}
      </bdi>
      <Icon name="choose" />
    </Menu>
  );
}
