import { AsyncResource } from 'node:async_hooks';
import { latencyCells, Latencies } from './latencies.ts';
import { activeTraced, type Traced } from './tracing.ts';
import { membersOf } from '../../../schemas/members.ts';

/** The databases and processes that are called over the network. */
export const neighbours = ['clickhouse', 'postgres', 'redis'] as const;
type Neighbour = (typeof neighbours)[number];

export const outcomes = ['ok', 'error'] as const;
type CallOutcome = (typeof outcomes)[number];

const seriesCount = neighbours.length * outcomes.length;
const seriesBytes = latencyCells * Float64Array.BYTES_PER_ELEMENT;

/** The latencies of one thread's calls. Another thread reads them through the same buffer. */
export class Calls {
  readonly buffer: SharedArrayBuffer;
  readonly #latencies: Record<Neighbour, Record<CallOutcome, Latencies>>;

  constructor(buffer = new SharedArrayBuffer(seriesCount * seriesBytes)) {
    this.buffer = buffer;
    const of = (neighbour: Neighbour, outcome: CallOutcome) => {
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

  latencies(neighbour: Neighbour, outcome: CallOutcome): Latencies {
    return this.#latencies[neighbour][outcome];
  }

  /** Begins a call. The function that is returned ends it, once. It is traced if its cause is. */
  begin(neighbour: Neighbour, asked: unknown): (outcome: CallOutcome) => void {
    const startedMs = performance.now();
    const cause = activeTraced();
    const traced = cause === undefined ? undefined : trace(cause, neighbour, asked);
    return (outcome) => {
      traced?.end(outcome === 'error');
      this.#latencies[neighbour][outcome].observe(performance.now() - startedMs);
    };
  }
}

const systems: Record<Neighbour, string> = {
  clickhouse: 'clickhouse',
  postgres: 'postgresql',
  redis: 'redis',
};
const textCharsMax = 2_000;

/** Bound values are not in a statement's text; a command's arguments are left out. */
function trace(cause: Traced, neighbour: Neighbour, asked: unknown): Traced {
  const text = textOf(asked);
  const operation = operationOf(text);
  return cause.child(`${neighbour} ${operation}`, 'client', {
    'db.system.name': systems[neighbour],
    'db.operation.name': operation,
    'db.query.text': text.slice(0, textCharsMax),
  });
}

/** The verb of a statement: after `WITH` the one that stands in no brackets. */
function operationOf(text: string): string {
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? '';
  if (verb !== 'WITH') return verb;
  let outer = text;
  for (let before = ''; before !== outer; ) {
    before = outer;
    outer = outer.replaceAll(/\([^()]*\)/g, '');
  }
  return /\b(SELECT|INSERT|UPDATE|DELETE)\b/i.exec(outer)?.[1]?.toUpperCase() ?? verb;
}

/** A statement as `pg` or ClickHouse's client take it, or the name of a Redis command. */
function textOf(asked: unknown): string {
  if (typeof asked === 'string') return asked;
  const { text, query, name, table } = membersOf(asked);
  if (typeof table === 'string') return `INSERT INTO ${table}`;
  const found = text ?? query ?? name;
  return typeof found === 'string' ? found.trim() : '';
}

type Method = (...args: unknown[]) => unknown;

/**
 * Measures calls of an object's methods, until their promise settles or their last argument, a callback, is called.
 * The libraries have no hook for that.
 */
export function timeMethods(
  target: object,
  names: readonly (string | symbol)[],
  begin: (asked: unknown) => (outcome: CallOutcome) => void,
): void {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name);
    if (!isMethod(method)) throw new Error(`there is no ${String(name)} to be timed`);
    Object.defineProperty(target, name, { value: timed(method, begin), configurable: true });
  }
}

const isMethod = (value: unknown): value is Method => typeof value === 'function';

function timed(method: Method, begin: (asked: unknown) => (outcome: CallOutcome) => void): Method {
  return function timedMethod(this: unknown, ...args: unknown[]): unknown {
    const end = begin(args[0]);
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

/** Work that waited for its turn continues in the context of its own request, not of the one that made room. */
export function keepCause(target: object, name: string): void {
  const method: unknown = Reflect.get(target, name);
  if (!isMethod(method)) throw new Error(`there is no ${name} to go on from`);
  Object.defineProperty(target, name, {
    value: (...args: unknown[]) => {
      const bound = args.map((arg) => (isMethod(arg) ? AsyncResource.bind(arg) : arg));
      return Reflect.apply(method, target, bound);
    },
    configurable: true,
  });
}
