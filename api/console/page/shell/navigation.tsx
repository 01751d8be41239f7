import type { User } from '../client/session.ts';
import { pages } from '../pages.ts';
import { address } from '../router.ts';
import { product, shellTexts } from '../texts/shell.ts';
import { Icon, Logo } from '../ui/icons.tsx';
import { PlaceButton } from '../place/switcher.tsx';
import { AlarmCount } from './alarm-count.tsx';
import { pageAt } from './current-page.tsx';
import { UserMenu } from './user-menu.tsx';

const isMac = navigator.platform.startsWith('Mac');

export function Navigation({
  user,
  isOpen,
  open,
  alarms,
}: {
  user: User;
  isOpen: boolean;
  open: (what: 'palette' | 'place' | 'help') => void;
  alarms: number | undefined;
}) {
  const current = pageAt(address.value.path, user)?.page;
  const marked = current?.within ?? current?.path;
  return (
    <div class="side" data-open={isOpen}>
      <a class="brand" href="#/">
        <Logo />
        {product}
      </a>
      <PlaceButton onClick={() => open('place')} />
      <button type="button" class="find" onClick={() => open('palette')}>
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
                    {path === '/alarms' && alarms !== undefined && <AlarmCount count={alarms} />}
                  </a>
                </li>
              ),
          )}
        </ul>
      </nav>
      <div class="foot">
        <UserMenu user={user} showKeys={() => open('help')} />
      </div>
    </div>
  );
}
