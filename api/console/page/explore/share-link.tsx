import { linkTo } from '../router.ts';
import { exploreTexts } from '../texts/explore.ts';
import { copyText } from '../ui/copy.tsx';
import { Menu } from '../ui/menu.tsx';
import { say } from '../ui/toasts.tsx';
import { endsOf, queryOf, type Range, type View } from './view.ts';

/** Copies a link to the view: one that moves on with the time, or one that shows these times to whoever opens it later. */
export function ShareLink({ view }: { view: View }) {
  const { range } = view;
  const copy = (shown: Range, told: string) => {
    const isLive = view.isLive && shown.kind === 'last';
    const link = linkTo('/explore', queryOf({ ...view, range: shown, isLive }));
    void copyText(new URL(link, location.href).href, document.body).then(() => say(told));
  };
  const fixed = {
    kind: 'action' as const,
    text: exploreTexts.links.fixed,
    onChoose: () => copy({ kind: 'fixed', ...endsOf(range, Date.now()) }, exploreTexts.linkCopied),
  };
  const last =
    range.kind === 'fixed'
      ? []
      : [
          {
            kind: 'action' as const,
            text: exploreTexts.links.last(range.text),
            onChoose: () => copy(range, exploreTexts.lastLinkCopied(range.text)),
          },
        ];
  return (
    <Menu icon="link" entries={[...last, fixed]}>
      {exploreTexts.link}
    </Menu>
  );
}
