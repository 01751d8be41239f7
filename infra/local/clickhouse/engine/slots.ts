import { clickHouseError } from '../errors.ts';

/** A fixed set of resources, each used by one at a time, with a bounded queue. */
export type Slots<T> = {
  /**
   * Runs `use` with one of them, when it is its turn.
   *
   * @throws ClickHouseError 202 if the queue is full, 394 if `gone` came first.
   */
  use<R>(gone: AbortSignal, use: (slot: T) => Promise<R>): Promise<R>;
};

export function createSlots<T>(all: T[], waitingMax: number): Slots<T> {
  const idle = [...all];
  const waiting: ((slot: T) => void)[] = [];

  async function take(gone: AbortSignal): Promise<T> {
    const slot = idle.pop();
    if (slot !== undefined) return slot;
    if (waiting.length >= waitingMax) {
      throw clickHouseError('TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries');
    }
    const turn = Promise.withResolvers<T>();
    const leave = () => {
      const place = waiting.indexOf(turn.resolve);
      if (place === -1) return;
      waiting.splice(place, 1);
      turn.reject(clickHouseError('QUERY_WAS_CANCELLED', 'The client went away'));
    };
    waiting.push(turn.resolve);
    gone.addEventListener('abort', leave, { once: true });
    return turn.promise.finally(() => gone.removeEventListener('abort', leave));
  }

  return {
    async use(gone, use) {
      const slot = await take(gone);
      try {
        return await use(slot);
      } finally {
        const next = waiting.shift();
        if (next === undefined) idle.push(slot);
        else next(slot);
      }
    },
  };
}
