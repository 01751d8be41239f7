import { useEffect, useRef, useState } from 'preact/hooks';
import { readSession, session, type User, userIn } from '../client/session.ts';
import { match, address } from '../router.ts';
import { product, shellTexts } from '../texts/shell.ts';
import { pagesTexts } from '../texts/pages.ts';
import { noAnswer } from '../client/failure.ts';
import { Button } from '../ui/button.tsx';
import { Icon, Logo } from '../ui/icons.tsx';
import { Failed } from '../ui/states.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { AlarmCount, useAlarmCount } from './alarm-count.tsx';
import { CurrentPage } from './current-page.tsx';
import { Navigation } from './navigation.tsx';
import { PlaceFinder } from '../place/switcher.tsx';
import { Palette } from './palette.tsx';
import { Received } from './received.tsx';
import { Register } from './register.tsx';
import { SharedPage } from './shared-page.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SignIn } from './sign-in.tsx';

/** The whole console: who is signed in sees pages, others the way in. */
export function Shell() {
  const token = match('/shared/:token', address.value.path)?.['token'];
  if (token !== undefined) return <SharedPage token={token} />;
  const user = userIn(session.value);
  if (user !== undefined) return <Frame user={user} />;
  if (session.value.kind === 'unknown') return null;
  if (session.value.kind === 'away') {
    return (
      <main class="door">
        <Failed isPage failure={noAnswer} again={() => void readSession()} isAsking={false} />
      </main>
    );
  }
  const invite = match('/register/:id', address.value.path)?.['id'];
  return invite === undefined ? <SignIn /> : <Register id={invite} />;
}

/** Navigation around a page. On a phone the navigation comes when it is asked for. */
function Frame({ user }: { user: User }) {
  const [open, setOpen] = useState<'palette' | 'help' | 'menu' | 'place'>();
  const main = useRef<HTMLElement>(null);
  const { path } = address.value;
  const alarms = useAlarmCount();
  useShortcuts(setOpen);
  useEffect(() => {
    // A page was opened: its reader begins at its head.
    if (open === 'menu') setOpen(undefined);
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  const close = () => setOpen(undefined);
  return (
    <>
      <button
        type="button"
        class="skip"
        onClick={() => {
          main.current?.focus();
        }}
      >
        {shellTexts.skip}
      </button>
      <div class="shell">
        <header class="frame">
          <Bar alarms={alarms} setOpen={setOpen} />
          {open === 'menu' && (
            <button type="button" class="veil" aria-label={shellTexts.close} onClick={close} />
          )}
          <Navigation user={user} isOpen={open === 'menu'} open={setOpen} alarms={alarms} />
        </header>
        <main class="content" ref={main} tabIndex={-1}>
          <Received user={user} />
          <CurrentPage user={user} />
        </main>
      </div>
      {open === 'palette' && <Palette user={user} onClose={close} />}
      {open === 'place' && <PlaceFinder user={user} onClose={close} />}
      {open === 'help' && <ShortcutList user={user} onClose={close} />}
      <Toasts />
    </>
  );
}

/** Stands on top of a phone. */
function Bar({
  alarms,
  setOpen,
}: {
  alarms: number | undefined;
  setOpen: (what: 'palette' | 'menu') => void;
}) {
  return (
    <div class="bar">
      <a class="brand" href="#/">
        <Logo />
        {product}
      </a>
      <span class="row">
        {alarms !== undefined && alarms > 0 && (
          <a href="#/alarms" class="button" data-kind="quiet">
            <Icon name="alarms" />
            <span class="hidden">{pagesTexts.alarms}</span>
            <AlarmCount count={alarms} />
          </a>
        )}
        <Button
          kind="quiet"
          icon="search"
          label={shellTexts.find}
          onClick={() => setOpen('palette')}
        />
        <Button kind="quiet" icon="menu" label={shellTexts.menu} onClick={() => setOpen('menu')} />
      </span>
    </div>
  );
}
