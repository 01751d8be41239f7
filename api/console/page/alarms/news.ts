import { useEffect, useState } from 'preact/hooks';
import { tellAlarmNews } from '../client/alarm-news.ts';
import { followAlarms } from '../client/live.ts';
import { isVisible } from '../client/visible.ts';
import type { RolePlace } from '../roles.ts';

/** A storm of alarms is read again this often, and no more. */
const readAgainMs = 400;

/** A number that grows as alarms of a place change, while one looks. */
export function useAlarmNews({ of, id }: RolePlace): number {
  const [news, setNews] = useState(0);
  const isLooking = isVisible.value;
  useEffect(() => {
    if (!isLooking) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = followAlarms(of, id, () => {
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
  }, [of, id, isLooking]);
  return news;
}
