import { signOut, type User } from '../client/session.ts';
import { pages } from '../pages.ts';
import { address } from '../router.ts';
import { product, shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName, Logo } from '../ui/icons.tsx';
import { AlarmCount } from './alarm-count.tsx';
import { pageAt } from './current-page.tsx';
import { nextTheme, theme } from '../theme.ts';

/** Pages beside the console. */
const others: readonly { text: string; icon: IconName; href: string }[] = [
  { text: shellTexts.docs, icon: 'docs', href: 'docs' },
  { text: shellTexts.bench, icon: 'bench', href: 'bench' },
];

const isMac = navigator.platform.startsWith('Mac');

export function Navigation({
  user,
  isOpen,
  find,
  alarms,
}: {
  user: User;
  isOpen: boolean;
  find: () => void;
  alarms: Parameters<typeof AlarmCount>[0] | undefined;
}) {
  const current = pageAt(address.value.path, user)?.page;
  const marked = current?.within ?? current?.path;
  return (
    <div class="side" data-open={isOpen}>
      <a class="brand" href="#/">
        <Logo />
        {product}
      </a>
      <button type="button" class="find" onClick={find}>
        <Icon name="search" />
        <span>{shellTexts.find}</span>
        <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav aria-label={shellTexts.navigation}>
        <ul>
          {pages.map(
            ({ path, shown, isFor }) =>
              shown !== undefined &&
              isFor?.(user) !== false && (
                <li key={path}>
                  <a href={`#${path}`} aria-current={path === marked ? 'page' : undefined}>
                    <Icon name={shown.icon} />
                    {shown.text}
                    {path === '/alarms' && alarms !== undefined && <AlarmCount {...alarms} />}
                  </a>
                </li>
              ),
          )}
        </ul>
      </nav>
      <Foot user={user} />
    </div>
  );
}

/** The way to pages beside the console, and who is signed in. */
function Foot({ user }: { user: User }) {
  return (
    <div class="foot">
      <nav aria-label={shellTexts.more}>
        <ul>
          {others.map(({ text, icon, href }) => (
            <li key={href}>
              <a href={href}>
                <Icon name={icon} />
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="who">
        <span class="cut small muted" title={user.email}>
          {user.email}
        </span>
        <Button
          kind="quiet"
          icon={theme.value}
          label={shellTexts.theme[theme.value]}
          onClick={nextTheme}
        />
        <Button
          kind="quiet"
          icon="leave"
          label={shellTexts.signOut}
          onClick={() => void signOut()}
        />
      </div>
    </div>
  );
}
