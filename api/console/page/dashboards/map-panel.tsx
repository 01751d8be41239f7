import { useEffect, useState } from 'preact/hooks';
import { useRead } from '../client/use-read.ts';
import { mercator } from '../map/projection.ts';
import type { PlacedThing, ThingMap as Part } from '../map/map.tsx';
import { mapTexts } from '../texts/map.ts';
import { stateOf } from '../things/state.ts';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import { type MapSource, readMapThings } from './map-things.ts';

const words = mapTexts;

/** Where things are. `at` is when it was asked for: a later time reads it again. */
export function MapPanel({
  title,
  sources,
  at,
}: {
  title: string;
  sources: readonly MapSource[];
  at: number;
}) {
  const key = JSON.stringify([sources, at]);
  const { value, failure, isLoading, again } = useRead(key, (signal) =>
    readMapThings(sources, signal),
  );
  const ThingMap = useMap();
  if (value === undefined) {
    return failure === undefined ? (
      <Loading />
    ) : (
      <Failed failure={failure} again={again} isAsking={isLoading} />
    );
  }
  const { things, total } = value;
  const placed = things.flatMap(({ id, name, last_seen: seen, place }): PlacedThing[] => {
    if (place === undefined) return [];
    const spot = mercator(place.latitude, place.longitude);
    return [{ id, name, state: stateOf(seen, at), spot }];
  });
  if (placed.length === 0) return <Empty title={words.nowhere} text={words.nowhereText} />;
  const others = things.length - placed.length;
  return (
    <div class="map-panel">
      {ThingMap !== undefined && <ThingMap things={placed} label={words.list(title)} />}
      <p class="small muted">
        {others > 0 && words.others(others)}
        {others > 0 && total > things.length && ' · '}
        {total > things.length && words.more(things.length, total)}
      </p>
    </div>
  );
}

/** The outlines are loaded with the first map. */
function useMap(): typeof Part | undefined {
  const [part, setPart] = useState<{ ThingMap: typeof Part }>();
  useEffect(() => {
    void import('../map/map.tsx').then(setPart);
  }, []);
  return part?.ThingMap;
}
