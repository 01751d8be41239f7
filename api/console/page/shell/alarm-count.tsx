import { useEffect, useState } from 'preact/hooks';
import { alarmNews } from '../client/alarm-news.ts';
import { call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { type ListPlace, usePlaces } from '../place/places.ts';
import { pagesTexts } from '../texts/pages.ts';
import { shortNumberWriter } from '../ui/number.ts';

/** Counted anew this often; sooner where the list of alarms is open, which follows them. */
const countedMs = 10_000;
/** Of an operator's orgs, so many are asked. */
const placesMax = 20;

const short = shortNumberWriter(2);

/** How many alarms are open that nobody has acknowledged, in all that one sees; undefined until that is known. */
export function useAlarmCount(user: User): { count: number; isLeast: boolean } | undefined {
  const isLooking = isVisible.value;
  const { value: places } = usePlaces(user, 'all');
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!isLooking) return undefined;
    setTurn((before) => before + 1);
    const timer = setInterval(() => setTurn((before) => before + 1), countedMs);
    return () => clearInterval(timer);
  }, [isLooking]);
  const asked = askedOf(places ?? []);
  const key = asked.length === 0 || !isLooking ? undefined : `${turn} ${alarmNews.value}`;
  const { value: count } = useRead(key, async (signal) => {
    const counts = await Promise.all(asked.slice(0, placesMax).map((one) => countIn(one, signal)));
    return counts.reduce((sum, one) => sum + one, 0);
  });
  return count === undefined ? undefined : { count, isLeast: asked.length > placesMax };
}

/** The orgs that one is in; of who is in none, the groups. */
function askedOf(places: readonly ListPlace[]): readonly ListPlace[] {
  const orgs = places.filter(({ of }) => of === 'org');
  return orgs.length > 0 ? orgs : places;
}

async function countIn({ of, id }: ListPlace, signal: AbortSignal): Promise<number> {
  const query = { state: 'open', acknowledged: false, limit: 1 } as const;
  const list = of === 'org' ? 'listOrgAlarms' : 'listGroupAlarms';
  return (await call(list, { path: { id }, query }, signal)).total;
}

/** The number, beside the word that it belongs to. Nothing where there are none. */
export function AlarmCount({ count, isLeast }: { count: number; isLeast: boolean }) {
  if (count === 0) return null;
  const text = `${short(count)}${isLeast ? '+' : ''}`;
  return (
    <span class="count" title={`${text} ${pagesTexts.openAlarms}`}>
      {text}
      <span class="hidden"> {pagesTexts.openAlarms}</span>
    </span>
  );
}
