import type { User } from '../client/session.ts';
import { pages } from '../pages.ts';
import { Dialog } from '../ui/dialog.tsx';
import { shortcutsTexts } from '../texts/shortcuts.ts';

/** The keys that the console knows. */
export function ShortcutList({ user, onClose }: { user: User; onClose: () => void }) {
  const shortcuts = shortcutsTexts;
  const rows: [keys: string[], text: string][] = [
    [['Ctrl K', '⌘K'], shortcuts.palette],
    [['/'], shortcuts.search],
    [['?'], shortcuts.help],
    ...pages.flatMap(({ shown, isFor }): [string[], string][] =>
      shown === undefined || isFor?.(user) === false
        ? []
        : [[['g', shown.key], shortcuts.goTo(shown.text)]],
    ),
    [['j', 'k'], `${shortcuts.inAlarms}: ${shortcuts.move}`],
    [['a'], `${shortcuts.inAlarms}: ${shortcuts.acknowledge}`],
    [['s'], `${shortcuts.inAlarms}: ${shortcuts.silence}`],
  ];
  return (
    <Dialog title={shortcuts.title} onClose={onClose}>
      <dl class="facts short">
        {rows.map(([keys, text]) => (
          <>
            <dt key={text} class="row">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
