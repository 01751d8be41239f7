import type { User } from '../client/session.ts';
import { pages } from '../pages.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';

/** The keys that the console knows. */
export function ShortcutList({ user, onClose }: { user: User; onClose: () => void }) {
  const { shortcuts } = texts;
  const rows: [keys: string[], text: string][] = [
    [['Ctrl K', '⌘K'], shortcuts.palette],
    [['/'], shortcuts.search],
    [['?'], shortcuts.help],
    ...pages.flatMap(({ shown, isFor }): [string[], string][] =>
      shown === undefined || isFor?.(user) === false
        ? []
        : [[['g', shown.key], shortcuts.goTo(shown.text)]],
    ),
    [['j', 'k'], `${shortcuts.inAlarms}: ${texts.alarms.keyMove}`],
    [['a'], `${shortcuts.inAlarms}: ${texts.alarms.keyAcknowledge}`],
    [['s'], `${shortcuts.inAlarms}: ${texts.alarms.keySilence}`],
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
