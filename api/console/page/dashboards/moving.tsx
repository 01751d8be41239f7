import { useRef, useState } from 'preact/hooks';
import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { gridColumns } from '../../../../schemas/dashboards/members.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';
import { Icon } from '../ui/icons.tsx';
import { type Place, stepped, within } from './grid.ts';
import { gapPixels, rowPixels } from './panels.tsx';

const words = dashboardsTexts;

type Moved = { panel: Panel; onMove: (place: Place) => void };

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Moves a panel: it is dragged, or pushed by arrow keys, which resize it with Shift. */
export function Grip({
  panels,
  panel,
  name,
  onMove,
}: Moved & { panels: readonly Panel[]; name: string }) {
  const [told, setTold] = useState('');
  const drag = useDrag(panel, onMove, ({ x, y, w, h }, [right, down]) => ({
    x: x + right,
    y: y + down,
    w,
    h,
  }));
  const label = words.movePanel(name);
  return (
    <>
      <button
        type="button"
        class="button grip"
        data-kind="quiet"
        data-icon="only"
        aria-label={label}
        title={label}
        {...drag}
        onKeyDown={(event) => {
          const step = steps[event.key];
          if (step === undefined) return;
          event.preventDefault();
          const { x, y, w, h } = panel;
          const [right, down] = step;
          const to = within(
            event.shiftKey
              ? { x, y, w: Math.min(w + right, gridColumns - x), h: h + down }
              : stepped(panels, panel, step),
          );
          onMove(to);
          setTold(words.moved(name, to.x, to.y, to.w, to.h));
        }}
      >
        <Icon name="move" />
      </button>
      <span class="hidden" role="status">
        {told}
      </span>
    </>
  );
}

/** Resizes a panel by the pointer; keys have the grip for that. */
export function Corner({ panel, onMove }: Moved) {
  const drag = useDrag(panel, onMove, ({ x, y, w, h }, [right, down]) => ({
    x,
    y,
    w: Math.min(w + right, gridColumns - x),
    h: h + down,
  }));
  return <span class="corner" aria-hidden="true" {...drag} />;
}

/** The place that follows from the one at the start, and from the columns and rows that the pointer has moved by. */
type Follow = (start: Place, by: readonly [columns: number, rows: number]) => Place;

function useDrag(panel: Panel, onMove: (place: Place) => void, follow: Follow) {
  const start = useRef<{ place: Place; x: number; y: number; column: number } | undefined>(
    undefined,
  );
  const last = useRef('');
  return {
    onPointerDown: (event: PointerEvent) => {
      const { currentTarget, clientX: x, clientY: y } = event;
      if (!(currentTarget instanceof Element) || event.button !== 0) return;
      const grid = currentTarget.closest('.grid');
      if (grid === null) return;
      currentTarget.setPointerCapture(event.pointerId);
      const column = (grid.clientWidth + gapPixels) / gridColumns;
      start.current = { place: panel, x, y, column };
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const from = start.current;
      if (from === undefined) return;
      const columns = Math.round((clientX - from.x) / from.column);
      const rows = Math.round((clientY - from.y) / (rowPixels + gapPixels));
      const to = within(follow(from.place, [columns, rows]));
      const key = JSON.stringify(to);
      if (key === last.current) return;
      last.current = key;
      onMove(to);
    },
    onPointerUp: () => {
      start.current = undefined;
    },
    onPointerCancel: () => {
      start.current = undefined;
    },
  };
}
