import { latencyCells, Latencies } from './latencies.ts';

/** What is asked over the network. */
export const neighbours = ['clickhouse', 'postgres', 'redis'] as const;
export type Neighbour = (typeof neighbours)[number];

export const outcomes = ['ok', 'error'] as const;
export type Outcome = (typeof outcomes)[number];

const seriesCount = neighbours.length * outcomes.length;
const seriesBytes = latencyCells * Float64Array.BYTES_PER_ELEMENT;

/** How long what one thread asks of its neighbours takes. Another thread reads it over the same buffer. */
export class Calls {
  readonly buffer: SharedArrayBuffer;
  readonly #latencies: Record<Neighbour, Record<Outcome, Latencies>>;

  constructor(buffer = new SharedArrayBuffer(seriesCount * seriesBytes)) {
    this.buffer = buffer;
    const of = (neighbour: Neighbour, outcome: Outcome) => {
      const at = neighbours.indexOf(neighbour) * outcomes.length + outcomes.indexOf(outcome);
      return new Latencies(new Float64Array(buffer, at * seriesBytes, latencyCells));
    };
    const both = (neighbour: Neighbour) => ({
      ok: of(neighbour, 'ok'),
      error: of(neighbour, 'error'),
    });
    this.#latencies = {
      clickhouse: both('clickhouse'),
      postgres: both('postgres'),
      redis: both('redis'),
    };
  }

  latencies(neighbour: Neighbour, outcome: Outcome): Latencies {
    return this.#latencies[neighbour][outcome];
  }

  /** A call begins; the answer is told how it ended, once. */
  begin(neighbour: Neighbour): (outcome: Outcome) => void {
    const startedMs = performance.now();
    return (outcome) => {
      this.#latencies[neighbour][outcome].observe(performance.now() - startedMs);
    };
  }
}

type Method = (...args: unknown[]) => unknown;

/**
 * Times what an object's methods ask: until the promise they return settles, or the callback they are given last
 * is called. The libraries have no hook for that.
 */
export function timeMethods(
  target: object,
  names: readonly (string | symbol)[],
  begin: () => (outcome: Outcome) => void,
): void {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name);
    if (!isMethod(method)) throw new Error(`there is no ${String(name)} to be timed`);
    Object.defineProperty(target, name, { value: timed(method, begin), configurable: true });
  }
}

const isMethod = (value: unknown): value is Method => typeof value === 'function';

function timed(method: Method, begin: () => (outcome: Outcome) => void): Method {
  return function timedMethod(this: unknown, ...args: unknown[]): unknown {
    const end = begin();
    const callback = args.at(-1);
    if (isMethod(callback)) {
      args[args.length - 1] = (error: unknown, ...rest: unknown[]) => {
        end(error instanceof Error ? 'error' : 'ok');
        callback(error, ...rest);
      };
      return Reflect.apply(method, this, args);
    }
    const answer = Reflect.apply(method, this, args);
    if (answer instanceof Promise) {
      answer.then(
        () => end('ok'),
        () => end('error'),
      );
    }
    return answer;
  };
}
