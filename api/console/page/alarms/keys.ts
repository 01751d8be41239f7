import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isFree } from '../ui/keys.ts';

const rowsOf = (list: Element | null) => [
  ...(list?.querySelectorAll<HTMLElement>('a[data-row]') ?? []),
];

/** Keys that act on the row that has the focus, by its id. */
type RowKeys = Readonly<Record<string, (id: string) => void>>;

/**
 * Works through a list by keyboard: `j` and `k`, or the arrows, move the focus from row to row, so that Enter opens one;
 * other keys act on the row that has it. Where a row leaves the list, the next one takes its place.
 */
export function useListKeys(keys: RowKeys) {
  const list = useRef<HTMLDivElement>(null);
  const last = useRef<{ at: number; id: string } | undefined>(undefined);
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isFree(event)) return;
      const rows = rowsOf(list.current);
      const active = document.activeElement?.closest('tr');
      const at = rows.findIndex((row) => row.closest('tr') === active);
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        const to = at === -1 ? (last.current?.at ?? 0) : at + step;
        const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
        if (row === undefined) return;
        event.preventDefault();
        row.focus();
        row.scrollIntoView({ block: 'nearest' });
        return;
      }
      const id = rows[at]?.dataset['row'];
      const act = Object.hasOwn(current.current, event.key)
        ? current.current[event.key]
        : undefined;
      if (id === undefined || act === undefined) return;
      event.preventDefault();
      act(id);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  useLayoutEffect(() => {
    const rows = rowsOf(list.current);
    const { at, id } = last.current ?? { at: -1, id: '' };
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (at === -1 || !isLost || rows.some((row) => row.dataset['row'] === id)) return;
    rows[Math.min(at, rows.length - 1)]?.focus();
  });
  const onFocusIn = () => {
    const rows = rowsOf(list.current);
    const row = document.activeElement?.closest('tr');
    const at = rows.findIndex((one) => one.closest('tr') === row);
    if (at !== -1) last.current = { at, id: rows[at]?.dataset['row'] ?? '' };
  };
  return { ref: list, onFocusIn };
}
