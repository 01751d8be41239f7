import { useEffect, useState } from 'preact/hooks';
import { alarmNews } from '../client/alarm-news.ts';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { pagesTexts } from '../texts/pages.ts';
import { shortNumberWriter } from '../ui/number.ts';

/** Counted anew this often; sooner where the list of alarms is open, which follows them. */
const countedMs = 10_000;

const short = shortNumberWriter(2);

/** How many alarms are open that nobody has acknowledged, in all that one sees; undefined until that is known. */
export function useAlarmCount(): number | undefined {
  const isLooking = isVisible.value;
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!isLooking) return undefined;
    setTurn((before) => before + 1);
    const timer = setInterval(() => setTurn((before) => before + 1), countedMs);
    return () => clearInterval(timer);
  }, [isLooking]);
  const key = isLooking ? `${turn} ${alarmNews.value}` : undefined;
  const { value: count } = useRead(key, async (signal) => {
    const query = { state: 'open', acknowledged: false, limit: 1 } as const;
    return (await call('listAlarms', { query }, signal)).total;
  });
  return count;
}

/** The number, beside the word that it belongs to. Nothing where there are none. */
export function AlarmCount({ count }: { count: number }) {
  if (count === 0) return null;
  const text = short(count);
  return (
    <span class="count" title={`${text} ${pagesTexts.openAlarms}`}>
      {text}
      <span class="hidden"> {pagesTexts.openAlarms}</span>
    </span>
  );
}
