import { borders, land } from 'outlines';
import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../router.ts';
import { mapTexts } from '../texts/map.ts';
import { thingsTexts } from '../texts/things.ts';
import type { ThingState } from '../things/state.ts';
import { Button } from '../ui/button.tsx';
import {
  type Cluster,
  clustersOf,
  draggedFrame,
  type Frame,
  frameOf,
  type Size,
  zoomedFrame,
} from './frame.ts';
import type { Spot } from './projection.ts';

const words = mapTexts;

/** A thing that has a place. */
export type PlacedThing = { id: string; name: string; state: ThingState; spot: Spot };

/** Dots of this many pixels tell themselves apart, and a finger finds them. */
const apartPixels = 22;
const step = 1.8;
const none: Size = { width: 0, height: 0 };

/** A map of things beside the list of them, which leads to the same by keys. */
export function ThingMap({ things, label }: { things: readonly PlacedThing[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [own, setOwn] = useState<Frame>();
  const [near, setNear] = useState<string>();
  const fit = (some: readonly PlacedThing[]) =>
    frameOf(
      some.map(({ spot }) => spot),
      size,
    );
  const frame = own ?? fit(things);
  const zoom = (factor: number) => setOwn(zoomedFrame(frame, factor, size));
  return (
    <div class="map">
      <div class="map-picture" ref={box}>
        {size.width > 0 && (
          <Picture
            things={things}
            frame={frame}
            size={size}
            near={near}
            onFrame={setOwn}
            onNear={setNear}
          />
        )}
        <div class="map-tools">
          <Button icon="plus" label={words.nearer} onClick={() => zoom(step)} />
          <Button icon="minus" label={words.farther} onClick={() => zoom(1 / step)} />
          <Button icon="fit" label={words.all} onClick={() => setOwn(undefined)} />
        </div>
      </div>
      <List things={things} label={label} near={near} onNear={setNear} />
    </div>
  );
}

function useSize(box: { readonly current: HTMLElement | null }): Size {
  const [size, setSize] = useState(none);
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => {
      if (entry !== undefined) {
        const { width, height } = entry.contentRect;
        setSize({ width, height });
      }
    });
    if (box.current !== null) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return size;
}

type Near = { near: string | undefined; onNear: (id: string | undefined) => void };

function List({
  things,
  label,
  near,
  onNear,
}: Near & { things: readonly PlacedThing[]; label: string }) {
  return (
    <ul class="map-list small" aria-label={label}>
      {things.map(({ id, name, state }) => (
        <li key={id}>
          <a
            href={linkTo(`/things/${id}`)}
            data-near={near === id}
            onFocus={() => onNear(id)}
            onBlur={() => onNear(undefined)}
            onMouseEnter={() => onNear(id)}
            onMouseLeave={() => onNear(undefined)}
          >
            <i class="map-mark" data-state={state} />
            <bdi class="cut">{name}</bdi>
            <span class="muted">{thingsTexts.states[state]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** For the eye and the pointer alone: all of it stands in the list too. */
function Picture({
  things,
  frame,
  size,
  near,
  onFrame,
  onNear,
}: Near & {
  things: readonly PlacedThing[];
  frame: Frame;
  size: Size;
  onFrame: (frame: Frame) => void;
}) {
  const { width, height } = size;
  const left = width / 2 - frame.x * frame.scale;
  const top = height / 2 - frame.y * frame.scale;
  return (
    <svg
      width={width}
      height={height}
      aria-hidden="true"
      onPointerDown={(event) => drag(event, frame, onFrame)}
    >
      <g transform={`translate(${left} ${top}) scale(${frame.scale / 10})`}>
        <path class="map-land" d={land} />
        <path class="map-borders" d={borders} />
      </g>
      {clustersOf(things, frame, size, apartPixels).map((cluster) => (
        <Dot
          key={cluster.members[0]?.id}
          cluster={cluster}
          near={near}
          onNear={onNear}
          onOpen={() => {
            const spots = cluster.members.map(({ spot }) => spot);
            const fitted = frameOf(spots, size);
            onFrame(zoomedFrame({ ...fitted, scale: frame.scale }, step * step, size));
          }}
        />
      ))}
    </svg>
  );
}

/** Follows the pointer until it is let go. */
function drag(event: PointerEvent, from: Frame, onFrame: (frame: Frame) => void): void {
  const svg = event.currentTarget;
  if (event.button !== 0 || !(svg instanceof SVGElement)) return;
  const ends = new AbortController();
  const { signal } = ends;
  const follow = ({ clientX, clientY }: PointerEvent) =>
    onFrame(draggedFrame(from, clientX - event.clientX, clientY - event.clientY));
  globalThis.addEventListener('pointermove', follow, { signal });
  for (const end of ['pointerup', 'pointercancel']) {
    globalThis.addEventListener(end, () => ends.abort(), { signal });
  }
}

/** The state that asks for the most attention comes first. */
const byNeed = ['silent', 'quiet', 'new', 'active'] as const;

function Dot({
  cluster: { at, members },
  near,
  onNear,
  onOpen,
}: Near & { cluster: Cluster<PlacedThing>; onOpen: () => void }) {
  const [only, ...others] = members;
  if (only === undefined) return null;
  const state = byNeed.find((one) => members.some((member) => member.state === one)) ?? only.state;
  const isNear = members.some(({ id }) => id === near);
  const place = `translate(${at.x} ${at.y})`;
  if (others.length > 0) {
    return (
      <g class="map-dot" transform={place} data-state={state} data-near={isNear} onClick={onOpen}>
        <title>{words.things(members.map(({ name }) => name))}</title>
        <circle r="11" />
        <text dy="0.35em">{members.length}</text>
      </g>
    );
  }
  return (
    <a
      class="map-dot"
      href={linkTo(`/things/${only.id}`)}
      tabindex={-1}
      draggable={false}
      data-state={state}
      data-near={isNear}
      onMouseEnter={() => onNear(only.id)}
      onMouseLeave={() => onNear(undefined)}
    >
      <title>{only.name}</title>
      <circle transform={place} r="7" />
    </a>
  );
}
