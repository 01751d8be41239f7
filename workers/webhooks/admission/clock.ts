/** Ticks while there is something to look at, and not else: a process that has nothing to do sleeps. */
export type Clock = { start(): void; stop(): void };

/** Once started it ticks each `everyMs`, until a tick says that there is nothing left. */
export function createClock(tick: () => boolean, everyMs: number): Clock {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function start(): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (tick()) start();
    }, everyMs);
  }

  return {
    start,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
