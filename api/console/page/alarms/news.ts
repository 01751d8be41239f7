import { useEffect, useRef, useState } from 'preact/hooks';
import { tellAlarmNews } from '../client/alarm-news.ts';
import { followAlarms } from '../client/live.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { isVisible } from '../client/visible.ts';
import { alarmsPath, type AlarmsOf } from './read-alarms.ts';

/** A storm of alarms is read again this often, and no more. */
const readAgainMs = 400;

/** Reads something again with each news; nothing is dimmed for that, as it is for what somebody has chosen. */
export function useLiveRead<Value>(
  key: string,
  news: number,
  read: (signal: AbortSignal) => Promise<Value>,
): Reading<Value> {
  const reading = useRead(`${key} ${news}`, read);
  const shown = useRef('');
  if (!reading.isLoading) shown.current = key;
  return { ...reading, isLoading: reading.isLoading && shown.current !== key };
}

/** A number that grows as alarms of a place change, or any that one sees, while one looks. */
export function useAlarmNews(place: AlarmsOf): number {
  const path = alarmsPath(place);
  const [news, setNews] = useState(0);
  const isLooking = isVisible.value;
  useEffect(() => {
    if (!isLooking) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = followAlarms(path, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setNews((before) => before + 1);
        tellAlarmNews();
      }, readAgainMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [path, isLooking]);
  return news;
}
