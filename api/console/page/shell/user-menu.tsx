import { useEffect } from 'preact/hooks';
import { ownName, readOwnName } from '../client/own-name.ts';
import { signOut, type User } from '../client/session.ts';
import { nextTheme, theme } from '../theme.ts';
import { shellTexts } from '../texts/shell.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';

/** Who is signed in, with what is theirs, and help. */
export function UserMenu({ user, showKeys }: { user: User; showKeys: () => void }) {
  const name = ownName.value;
  useEffect(() => {
    void readOwnName();
  }, [user.id]);
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
        {
          kind: 'group',
          text: shellTexts.help,
          entries: [
            { kind: 'link', text: shellTexts.docs, icon: 'docs', href: 'docs' },
            { kind: 'link', text: shellTexts.bench, icon: 'bench', href: 'bench' },
            { kind: 'action', text: shellTexts.shortcuts, icon: 'info', onChoose: showKeys },
          ],
        },
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
        {String.fromCodePoint((name || user.email).codePointAt(0) ?? 0).toUpperCase()}
      </span>
      <span class="names">
        {name !== '' && (
          <bdi class="cut" title={name}>
            {name}
          </bdi>
        )}
        <bdi class={name === '' ? 'cut' : 'cut small muted'} title={user.email}>
          {user.email}
        </bdi>
      </span>
      <Icon name="choose" />
    </Menu>
  );
}
