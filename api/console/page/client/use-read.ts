import { useEffect, useState } from 'preact/hooks';
import { type Failure, failureOf } from './failure.ts';

/** The value that a page has read, or why it has none. While it is read again, the old value stays. */
export type Reading<Value> = {
  value: Value | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  again: () => void;
};

/**
 * Reads something for a page, and reads it again for each `key`, which names all that the answer depends on. Nothing
 * is read for an undefined key. Leaving the page ends the request.
 */
export function useRead<Value>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Value>,
): Reading<Value> {
  const [count, setCount] = useState(0);
  const [got, setGot] = useState<{ key?: string; value?: Value; failure?: Failure }>({});
  const wanted = key === undefined ? undefined : `${count} ${key}`;
  useEffect(() => {
    if (wanted === undefined) return undefined;
    const controller = new AbortController();
    read(controller.signal).then(
      (value) => {
        if (controller.signal.aborted) return undefined;
        return setGot({ key: wanted, value });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setGot({ key: wanted, failure: failureOf(error) });
      },
    );
    return () => controller.abort();
  }, [wanted]);
  return {
    value: got.value,
    failure: got.failure,
    isLoading: wanted !== undefined && got.key !== wanted,
    again: () => setCount(count + 1),
  };
}
