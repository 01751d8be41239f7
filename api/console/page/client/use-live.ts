import { useEffect, useRef } from 'preact/hooks';
import { type Reading, useRead } from './use-read.ts';
import { isVisible } from './visible.ts';

/** As often as processes report. */
const everyMs = 15_000;

/** Reads it again and again while somebody looks. What was read last stays while the service is away. */
export function useLive<Value>(
  key: string,
  read: (signal: AbortSignal) => Promise<Value>,
): Reading<Value> {
  const reading = useRead(key, read);
  const again = useRef(reading.again);
  again.current = reading.again;
  const isLooked = isVisible.value;
  useEffect(() => {
    if (!isLooked) return undefined;
    const timer = setInterval(() => again.current(), everyMs);
    return () => clearInterval(timer);
  }, [isLooked]);
  const last = useRef(reading.value);
  last.current = reading.value ?? last.current;
  const isLoading = reading.isLoading && last.current === undefined;
  return { ...reading, value: last.current, isLoading };
}
