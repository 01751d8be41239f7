import type { User } from '../client/session.ts';
import { signOut } from '../client/session.ts';
import { pages } from '../pages.ts';
import { goTo } from '../router.ts';
import { paletteTexts } from '../texts/palette.ts';
import { shellTexts } from '../texts/shell.ts';
import { nextTheme } from '../theme.ts';
import type { Offer } from '../ui/finder.tsx';

/** The pages and actions of a user. */
export function commandsFor(user: User): Offer[] {
  const toPages = pages.flatMap(({ path, shown, isFor }): Offer[] =>
    shown === undefined || isFor?.(user) === false
      ? []
      : [
          {
            key: path,
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
      key: 'docs',
      text: shellTexts.docs,
      kind: paletteTexts.page,
      run: () => location.assign('docs'),
    },
    ...(user.platform_admin
      ? [
          {
            key: 'queues',
            text: shellTexts.queues,
            kind: paletteTexts.page,
            run: () => goTo('/operations/queues'),
          },
        ]
      : []),
    {
      key: 'bench',
      text: shellTexts.bench,
      kind: paletteTexts.page,
      run: () => location.assign('bench'),
    },
    { key: 'theme', text: paletteTexts.switchTheme, kind: paletteTexts.action, run: nextTheme },
    {
      key: 'signOut',
      text: shellTexts.signOut,
      kind: paletteTexts.action,
      run: () => void signOut(),
    },
  ];
}

/** Commands whose text has each of the words. */
export function matching(commands: readonly Offer[], typed: string): Offer[] {
  const words = typed.toLowerCase().split(/\s+/);
  return commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
}
