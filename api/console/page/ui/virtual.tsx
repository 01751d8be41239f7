import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The rows that are drawn: from `start`, without `end`. */
type Shown = { start: number; end: number };

/** Above and below the window, so that scrolling meets no empty place. */
const spareRows = 12;

/**
 * Which of many rows of the same height the window shows. `body` is the element that they stand in, spacers among them.
 */
export function useShown(count: number, rowPixels: number) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [shown, setShown] = useState<Shown>({ start: 0, end: Math.min(count, 20) });
  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const first = Math.floor(-top / rowPixels) - spareRows;
      const last = Math.ceil((innerHeight - top) / rowPixels) + spareRows;
      const start = Math.min(Math.max(0, first), Math.max(0, count - 1));
      const end = Math.max(start, Math.min(count, last));
      setShown((before) =>
        before.start === start && before.end === end ? before : { start, end },
      );
    };
    const later = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
      cancelAnimationFrame(frame);
    };
  }, [count, rowPixels]);
  return { body, shown };
}

/** As tall as the rows that are not drawn. */
export function Spacer({ rows, rowPixels }: { rows: number; rowPixels: number }) {
  const row = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => {
    if (row.current !== null) row.current.style.height = `${rows * rowPixels}px`;
  }, [rows, rowPixels]);
  return rows === 0 ? null : <tr ref={row} aria-hidden="true" />;
}

/** Calls `onNear` when few of the rows are still to come. */
export function useNearEnd(shown: Shown, count: number, onNear: () => void): void {
  const isNear = shown.end >= count - spareRows;
  useEffect(() => {
    if (isNear) onNear();
  }, [isNear, count]);
}
