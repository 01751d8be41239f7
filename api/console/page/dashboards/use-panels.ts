import { useEffect, useRef, useState } from 'preact/hooks';
import type { Panel } from '../../../../schemas/dashboards/content.ts';
import type { Ends, VariableThings } from '../../../../schemas/dashboards/questions.ts';
import { type Failure, failureOf, passes } from '../client/failure.ts';
import { useAskingAgain } from '../client/use-asking-again.ts';
import type { PanelData } from './panel-data.ts';

/** Reads several panels at once. */
type ReadPanels = (
  panels: readonly Panel[],
  ends: Ends,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, PanelData>>;

/** The data of one panel, and of which range it is. */
export type PanelState = { data?: PanelData; ends?: Ends; failure?: Failure };

type Held = { key: string; state: PanelState };

/** All of a panel that its data depends on: its title and its place do not. */
const keyOf = (panel: Panel, rest: string) =>
  JSON.stringify([panel.kind, panel.series, panel.aggregation, panel.interval, panel.w, rest]);

const gatherMs = 60;
/** The key of what could not be read yet. */
const stillDue = '';

/**
 * Reads the panels that are in sight, together, and again when what they ask changes, or after a failure that passes.
 * While that goes on, the old values stand.
 */
export function usePanels(
  panels: readonly Panel[],
  {
    ends,
    variables,
    seen,
    read,
  }: {
    ends: Ends;
    variables: VariableThings | undefined;
    /** Ids of the panels in sight. */
    seen: ReadonlySet<string>;
    read: ReadPanels;
  },
): { stateOf: (id: string) => PanelState | undefined; isLoading: boolean } {
  const held = useRef(new Map<string, Held>());
  const [isLoading, setLoading] = useState(false);
  const [failed, setFailed] = useState<Failure>();
  const [retries, setRetries] = useState(0);
  const rest = JSON.stringify([ends, variables]);
  const wanted = panels.filter(({ id }) => seen.has(id));
  const key = wanted.map((panel) => `${panel.id} ${keyOf(panel, rest)}`).join('\n');
  useEffect(() => {
    const due = wanted.filter((panel) => held.current.get(panel.id)?.key !== keyOf(panel, rest));
    if (due.length === 0 || variables === undefined) return undefined;
    const controller = new AbortController();
    const set = (states: (panel: Panel) => PanelState, failure?: Failure) => {
      if (controller.signal.aborted) return;
      const isAskedAgain = failure !== undefined && passes(failure);
      for (const panel of due) {
        held.current.set(panel.id, {
          key: isAskedAgain ? stillDue : keyOf(panel, rest),
          state: states(panel),
        });
      }
      setLoading(false);
      setFailed(failure);
    };
    // Panels come into sight one after the other.
    const timer = setTimeout(() => {
      setLoading(true);
      read(due, ends, controller.signal).then(
        (all) => set(({ id }) => ({ data: all.get(id) ?? [], ends })),
        (error: unknown) => {
          const failure = failureOf(error);
          set(({ id }) => ({ ...held.current.get(id)?.state, failure }), failure);
        },
      );
    }, gatherMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, variables === undefined, retries]);
  const isDue = failed !== undefined && passes(failed);
  useAskingAgain(isDue && !isLoading, failed?.retryAfterSeconds ?? 0, () =>
    setRetries((before) => before + 1),
  );
  return { stateOf: (id) => held.current.get(id)?.state, isLoading };
}

/** Which panels are in sight, by their ids. `watch` is for the element of each. */
export function useSeen(): {
  seen: ReadonlySet<string>;
  watch: (id: string) => (element: Element | null) => void;
} {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const elements = useRef(new Map<string, Element>());
  const watcher = useRef<IntersectionObserver | undefined>(undefined);
  watcher.current ??= new IntersectionObserver(
    (entries) => {
      setSeen((before) => {
        const after = new Set(before);
        for (const { target, isIntersecting } of entries) {
          const id = target.getAttribute('data-panel') ?? '';
          if (isIntersecting) after.add(id);
          else after.delete(id);
        }
        return after;
      });
    },
    { rootMargin: '100px' },
  );
  useEffect(() => () => watcher.current?.disconnect(), []);
  const watch = (id: string) => (element: Element | null) => {
    const known = elements.current.get(id);
    if (known === (element ?? undefined)) return;
    if (known !== undefined) watcher.current?.unobserve(known);
    if (element === null) elements.current.delete(id);
    else {
      elements.current.set(id, element);
      watcher.current?.observe(element);
    }
  };
  return { seen, watch };
}

/** The ends of a range, which move on with each tick while somebody looks. */
export function useEnds(range: (now: number) => Ends, key: string, refreshS: number | undefined) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (refreshS === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, refreshS * 1_000);
    return () => clearInterval(timer);
  }, [key, refreshS]);
  return { ends: range(now), again: () => setNow(Date.now()) };
}
