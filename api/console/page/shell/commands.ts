import type { User } from '../client/session.ts';
import { signOut } from '../client/session.ts';
import { pages } from '../pages.ts';
import { goTo } from '../router.ts';
import { paletteTexts } from '../texts/palette.ts';
import { shellTexts } from '../texts/shell.ts';
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
            kind: paletteTexts.page,
            keys: `g ${shown.key}`,
            run: () => goTo(path),
          },
        ],
  );
  return [
    ...toPages,
    {
      text: shellTexts.docs,
      kind: paletteTexts.page,
      run: () => location.assign('docs'),
    },
    ...(user.platform_admin
      ? [
          {
            text: shellTexts.queues,
            kind: paletteTexts.page,
            run: () => goTo('/operations/queues'),
          },
        ]
      : []),
    { text: shellTexts.bench, kind: paletteTexts.page, run: () => location.assign('bench') },
    { text: paletteTexts.switchTheme, kind: paletteTexts.action, run: nextTheme },
    { text: shellTexts.signOut, kind: paletteTexts.action, run: () => void signOut() },
  ];
}

/** Commands whose text has each of the words. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/);
  return commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
}
