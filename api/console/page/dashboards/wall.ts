import { useLayoutEffect } from 'preact/hooks';
import { address, choose } from '../router.ts';

const cursorMs = 3_000;

/**
 * Full screen, for a wall: nothing but the dashboard, and after a while no cursor. It stands in the address, so that a
 * reload brings it back; Escape ends it.
 */
export function useWall(): boolean {
  const isWall = address.value.query['wall'] === 'on';
  // With the picture, so that an Escape which follows at once is heard.
  useLayoutEffect(() => {
    if (!isWall) return undefined;
    const root = document.documentElement;
    root.dataset['wall'] = 'on';
    // Where the browser does not allow it, the window stays as it is.
    void root.requestFullscreen?.().catch(() => undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const moved = () => {
      clearTimeout(timer);
      root.dataset['wall'] = 'on';
      timer = setTimeout(() => {
        root.dataset['wall'] = 'still';
      }, cursorMs);
    };
    const leave = () => choose({ wall: undefined }, 'replace');
    const pressed = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') leave();
    };
    // The browser takes Escape for itself where it has given the whole screen.
    const changed = () => {
      if (document.fullscreenElement === null) leave();
    };
    moved();
    addEventListener('pointermove', moved);
    addEventListener('keydown', pressed);
    document.addEventListener('fullscreenchange', changed);
    return () => {
      clearTimeout(timer);
      removeEventListener('pointermove', moved);
      removeEventListener('keydown', pressed);
      document.removeEventListener('fullscreenchange', changed);
      delete root.dataset['wall'];
      if (document.fullscreenElement !== null) void document.exitFullscreen();
    };
  }, [isWall]);
  return isWall;
}
