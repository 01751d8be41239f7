import { useEffect, useRef } from 'preact/hooks';
import { isVisible } from './visible.ts';

const secondsMin = 5;

/** Asks again and again while somebody looks, as seldom as the service wants. */
export function useAskingAgain(
  isWanted: boolean,
  seconds: number,
  again: (() => void) | undefined,
) {
  const latest = useRef(again);
  latest.current = again;
  const isOn = isWanted && isVisible.value;
  const ms = Math.max(seconds, secondsMin) * 1_000;
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => latest.current?.(), ms);
    return () => clearInterval(timer);
  }, [isOn, ms]);
}
