import { useEffect } from 'preact/hooks';
import { pages } from '../pages.ts';
import { goTo } from '../router.ts';
import { isTyping } from '../ui/keys.ts';

/** How long the second key may take after `g`. */
const betweenKeysMs = 1_500;

/**
 * The keys of the console: ⌘K or Ctrl-K finds, `g` and a letter go to a page, `/` leads to the search of the page, and
 * `?` lists them. Nothing is taken from somebody who types.
 */
export function useShortcuts(open: (what: 'palette' | 'help') => void): void {
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const listen = (event: KeyboardEvent) => {
      const withCommand = event.metaKey || event.ctrlKey;
      if (withCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        open('palette');
        return;
      }
      if (withCommand || event.altKey || isTyping(event)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const isSecond = event.timeStamp - wentAt < betweenKeysMs;
      wentAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (isSecond) {
        // It is no key of the page as well.
        event.preventDefault();
        const page = pages.find(({ shown }) => shown?.key === event.key);
        if (page !== undefined) goTo(page.path);
      } else if (event.key === '?') {
        open('help');
      } else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (search === null) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
