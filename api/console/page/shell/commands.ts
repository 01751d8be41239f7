import type { User } from '../client/session.ts';
import { signOut } from '../client/session.ts';
import { pages } from '../pages.ts';
import { goTo } from '../router.ts';
import { texts } from '../texts.ts';
import { nextTheme } from '../theme.ts';

/** The commands of the palette. */
export type Command = { text: string; kind: string; keys?: string; run: () => void };

/** The pages and actions of a user. */
export function commandsFor(user: User): Command[] {
  const toPages = pages.flatMap(({ path, shown, isFor }): Command[] =>
    shown === undefined || isFor?.(user) === false
      ? []
      : [
          {
            text: shown.text,
            kind: texts.palette.page,
            keys: `g ${shown.key}`,
            run: () => goTo(path),
          },
        ],
  );
  return [
    ...toPages,
    {
      text: texts.shell.docs,
      kind: texts.palette.page,
      run: () => location.assign('docs'),
    },
    ...(user.platform_admin
      ? [
          {
            text: texts.shell.queues,
            kind: texts.palette.page,
            run: () => location.assign('queues'),
          },
        ]
      : []),
    { text: texts.shell.bench, kind: texts.palette.page, run: () => location.assign('bench') },
    { text: texts.palette.switchTheme, kind: texts.palette.action, run: nextTheme },
    { text: texts.shell.signOut, kind: texts.palette.action, run: () => void signOut() },
  ];
}

/** Commands whose text has each of the words. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/);
  return commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
}
