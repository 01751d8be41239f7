import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The ref of an element that keys can scroll: it takes the focus for as long as it holds more than it shows. */
export function useReachable<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  // After each render: what stands in it may be another, and grows by itself too.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const watcher = new ResizeObserver(() => {
      if (element.scrollHeight > element.clientHeight) element.setAttribute('tabindex', '0');
      else element.removeAttribute('tabindex');
    });
    for (const one of [element, ...element.children]) watcher.observe(one);
    return () => watcher.disconnect();
  });
  return ref;
}
