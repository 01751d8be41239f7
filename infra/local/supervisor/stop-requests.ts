/**
 * npm passes on a Ctrl-C that the terminal has sent to the whole group already, so one key press
 * arrives twice. Only a request that comes later than this is a second one.
 */
const echoMs = 1_000;

/** When to stop: on a signal, when the output is gone, or when who started us is. */
type StopRequests = {
  /** Settles at the first request. */
  readonly requested: Promise<void>;
  request(): void;
  /** Called when somebody asks again. */
  onSecond(hurry: () => void): void;
};

/** Begins to listen for requests to stop. */
export function stopRequests(): StopRequests {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  let hurry: (() => void) | undefined;
  const request = () => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      resolve();
    } else if (performance.now() - firstMs > echoMs) {
      hurry?.();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);
  process.on('disconnect', request);
  return { requested: promise, request, onSecond: (action) => (hurry = action) };
}
